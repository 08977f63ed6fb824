import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { BATCH_EVENTS_MAX, COALESCE_WINDOW_MAX_SECONDS } from "../../schema/limits.ts";
import { addToBatch, closeBatch } from "../../worker/store/batched-events.ts";
import { openDatabase, writeBatch } from "../../worker/store/database.ts";
import { isConflict } from "../../worker/store/errors.ts";
import { startBellhop } from "../support/bellhop.ts";
import type { Bellhop } from "../support/bellhop.ts";
import { endWindows, joinedBy, titlesIn } from "../support/coalescing.ts";
import { query } from "../support/database.ts";
import { errorOf } from "../support/each-database.ts";
import { eventually } from "../support/eventually.ts";
import { createIncident, executionsOf, getIncident, incidentWorkflow, matched } from "../support/incidents.ts";
import { ended, getExecution } from "../support/management.ts";
import { call, createWorkflow, errorPathsOf, verb } from "../support/management-api.ts";

let bellhop: Bellhop;
beforeAll(async () => {
  bellhop = await startBellhop({ bindings: { METRICS_TOKEN: "metrics-0123456789" } });
});
afterAll(() => bellhop.stop());

const only = (service: string) => ({
  logic: "any",
  conditions: [{ field: "service", operator: "startsWith", value: service }],
});
const HOUR = { windowSeconds: 3_600, key: "{{incident.service}}" };

/** A workflow that waits for the incidents of services whose names begin with this text. */
async function coalescing(service: string, coalesce: object = HOUR, definition?: object): Promise<string> {
  const trigger = { type: "incident", events: ["incident.created"], conditions: only(service), coalesce };
  if (definition === undefined) return incidentWorkflow(bellhop, trigger);
  const { id } = await createWorkflow(bellhop, { trigger, definition });
  await verb(bellhop, id, "publish");
  await verb(bellhop, id, "activate");
  return id;
}

const fire = async (service: string, ...titles: string[]) => {
  const incidents = [];
  for (const title of titles) {
    incidents.push(await createIncident(bellhop, { title, service }));
    await matched(bellhop);
  }
  return incidents;
};
describe("events within the window", () => {
  test("with the same key start one run, which waits and then has all of them", async () => {
    const each = {
      nodes: [
        {
          id: "each",
          type: "forEach",
          items: "{{incident.batch}}",
          body: { nodes: [{ id: "rest", type: "delay", seconds: 1 }], edges: [] },
        },
      ],
      edges: [],
    };
    const id = await coalescing("shop", HOUR, each);
    const [, , third] = await fire("shop-a", "one", "two", "three");
    await fire("shop-b", "four");
    const [first, other, ...more] = await executionsOf(bellhop, id);
    if (first === undefined || other === undefined) throw new Error("there are not two executions");
    expect(more).toEqual([]);
    const response = await fetch(`${bellhop.url}/metrics`, { headers: { Authorization: "Bearer metrics-0123456789" } });
    const metrics = await response.text();
    expect(metrics).toContain('bellhop_executions_held{reason="collecting"} 2');
    expect(metrics).toContain("bellhop_incident_batches_total 2");
    expect(metrics).toContain("bellhop_incident_events_joined_total 2");
    expect(metrics).toContain("bellhop_paused 0");
    const waiting = await getExecution(bellhop, first.id);
    expect(waiting).toMatchObject({ status: "running", nodeRuns: [], waiting: { code: "collecting" } });
    expect(waiting.waiting?.detail).toStartWith('further events with the key "shop-a", until 2');
    const { events } = await getIncident(bellhop, third?.id ?? "");
    expect(events.flatMap(({ executions }) => executions.map((one) => one.id))).toEqual([first.id]);

    await endWindows(bellhop);
    const done = await ended(bellhop, first.id);
    expect(done).toMatchObject({ status: "succeeded", trigger: { incident: { title: "one" } } });
    expect(titlesIn(done.trigger)).toEqual(["one", "two", "three"]);
    expect(done.nodeRuns.find(({ nodeId }) => nodeId === "each")?.output).toMatchObject({ total: 3 });
    expect(titlesIn((await ended(bellhop, other.id)).trigger)).toEqual(["four"]);
    await fire("shop-a", "five");
    const last = (await executionsOf(bellhop, id)).at(-1);
    expect(last?.waiting).toMatchObject({ code: "collecting" });
  });

  test("begin by themselves when it ends", async () => {
    const id = await coalescing("soon", { windowSeconds: 1 });
    await fire("soon", "one");
    const [only] = await executionsOf(bellhop, id);
    const begun = await eventually("the run to begin", async () => {
      const execution = await getExecution(bellhop, only?.id ?? "");
      return execution.waiting?.code !== "collecting" && execution;
    });
    expect(titlesIn(begun.trigger)).toEqual(["one"]);
  });

  test("join once, also when they are matched again before and after it begins", async () => {
    const id = await coalescing("twice");
    await fire("twice", "one", "two");
    const again = async () => {
      await query(bellhop, "update incident_events set matched_at = null");
      await bellhop.worker.tick(new Date());
      await matched(bellhop);
      return executionsOf(bellhop, id);
    };
    const [execution, ...more] = await again();
    expect(more).toEqual([]);
    expect(await joinedBy(bellhop, execution?.id ?? "")).toHaveLength(2);
    await endWindows(bellhop);
    expect(titlesIn((await getExecution(bellhop, execution?.id ?? "")).trigger)).toEqual(["one", "two"]);
    expect(await again()).toHaveLength(1);
    // A version without coalescing does not start them either.
    const trigger = { type: "incident", events: ["incident.created"], conditions: only("twice") };
    const { definition, name } = (await (await call(bellhop, "GET", `/workflows/${id}`)).json()) as {
      definition: object;
      name: string;
    };
    await call(bellhop, "PUT", `/workflows/${id}`, { name, trigger, definition });
    await verb(bellhop, id, "publish");
    expect(await again()).toHaveLength(1);
  });

  test("that join no more than a batch holds, which begins at once", async () => {
    const id = await coalescing("storm");
    await fire("storm", "first");
    const [batch] = await executionsOf(bellhop, id);
    await query(
      bellhop,
      `with recursive n(i) as (select 1 union all select i + 1 from n where i < ?)
       insert into batched_events (execution_id, position, workflow_id, trigger_key, snapshot)
       select ?, i, ?, 'storm-' || i, '{"title":"more"}' from n`,
      [BATCH_EVENTS_MAX - 1, batch?.id ?? "", id],
    );
    await fire("storm", "next");
    const [begun, next, ...more] = await executionsOf(bellhop, id);
    expect(more).toEqual([]);
    expect(begun?.waiting).toBeUndefined();
    expect(titlesIn((await getExecution(bellhop, begun?.id ?? "")).trigger)).toHaveLength(BATCH_EVENTS_MAX);
    expect(next?.waiting).toMatchObject({ code: "collecting" });
    // A list leaves the events out: a page of such runs would be too large.
    expect(begun?.trigger).not.toHaveProperty("incident.batch");
    expect(await joinedBy(bellhop, next?.id ?? "")).toHaveLength(1);
  });

  test("are in the order of their time, although one was late", async () => {
    const id = await coalescing("late");
    await fire("late", "second", "third");
    const [batch] = await executionsOf(bellhop, id);
    await query(
      bellhop,
      "insert into batched_events (execution_id, position, workflow_id, trigger_key, snapshot) values (?, 2, ?, 'event_0', ?)",
      [batch?.id ?? "", id, '{"title":"first"}'],
    );
    await endWindows(bellhop);
    expect(titlesIn((await getExecution(bellhop, batch?.id ?? "")).trigger)).toEqual(["first", "second", "third"]);
  });

  test("that join have at most a MiB in UTF-8", async () => {
    const id = await coalescing("wide");
    const description = "事".repeat(60_000);
    for (const title of ["1", "2", "3", "4", "5", "6", "7"]) {
      await createIncident(bellhop, { title, service: "wide", description });
      await matched(bellhop);
    }
    const [begun, next] = await executionsOf(bellhop, id);
    expect(titlesIn((await getExecution(bellhop, begun?.id ?? "")).trigger)).toHaveLength(5);
    expect(await joinedBy(bellhop, next?.id ?? "")).toHaveLength(2);
  });

  test("join also when their source has cut the key in the middle of a character", async () => {
    const id = await coalescing("cut");
    await fire("cut-\ud83d", "one", "two");
    const [execution, ...more] = await executionsOf(bellhop, id);
    expect(more).toEqual([]);
    expect(await joinedBy(bellhop, execution?.id ?? "")).toHaveLength(2);
  });

  test("of a cancelled run are dropped with it, and the next one opens another window", async () => {
    const id = await coalescing("cancelled");
    await fire("cancelled", "one");
    const [first] = await executionsOf(bellhop, id);
    await call(bellhop, "POST", `/executions/${first?.id ?? ""}/cancel`);
    await fire("cancelled", "two");
    const [, second] = await executionsOf(bellhop, id);
    expect(await joinedBy(bellhop, second?.id ?? "")).toHaveLength(1);
    await endWindows(bellhop);
    expect(titlesIn((await getExecution(bellhop, second?.id ?? "")).trigger)).toEqual(["two"]);
  });
});

test("of an end and a further event at the same moment, the later one fails as a conflict", async () => {
  const workflowId = await coalescing("moment");
  await fire("moment", "one", "two");
  const [execution] = await executionsOf(bellhop, workflowId);
  const batch = { executionId: execution?.id ?? "", workflowId };
  const db = openDatabase({ url: bellhop.libsql.url });
  const end = (events: number) => writeBatch(db, closeBatch(db, batch, events));
  const add = (from: number, triggerKey: string) =>
    writeBatch(db, [addToBatch({ ...batch, from }, [{ triggerKey, snapshot: {} }])]);
  // An object that has read only one of the two events.
  expect(isConflict(await errorOf(end(1)))).toBe(true);
  await add(2, "three");
  expect(isConflict(await errorOf(end(2)))).toBe(true);
  await end(3);
  expect(isConflict(await errorOf(add(3, "four")))).toBe(true);
});

test("a batch waits for its turn after its window", async () => {
  const wait = { nodes: [{ id: "wait", type: "delay", seconds: 3_600 }], edges: [], concurrency: { mode: "queue" } };
  const id = await coalescing("turns", HOUR, wait);
  await fire("turns-a", "one");
  await fire("turns-b", "two");
  await endWindows(bellhop);
  // Their windows end together, so either may have the turn.
  const [first, second] = (await executionsOf(bellhop, id)).toSorted((a) => (a.waiting === undefined ? -1 : 1));
  expect(first?.waiting).toBeUndefined();
  expect(second?.waiting).toMatchObject({ code: "earlier_run" });
  await call(bellhop, "POST", `/executions/${first?.id ?? ""}/cancel`);
  const begun = await eventually("the second batch to begin", async () => {
    const execution = await getExecution(bellhop, second?.id ?? "");
    return execution.waiting === undefined && execution;
  });
  expect([["one"], ["two"]]).toContainEqual(titlesIn(begun.trigger));
});

test("a retry has the same events and does not wait for others", async () => {
  const failing = {
    nodes: [
      {
        id: "ask",
        type: "forEach",
        items: "{{incident.title}}",
        body: { nodes: [{ id: "rest", type: "delay", seconds: 1 }], edges: [] },
      },
    ],
    edges: [],
  };
  const id = await coalescing("again", HOUR, failing);
  await fire("again", "one", "two");
  await endWindows(bellhop);
  const [first] = await executionsOf(bellhop, id);
  expect((await ended(bellhop, first?.id ?? "")).status).toBe("failed");
  const response = await call(bellhop, "POST", `/executions/${first?.id ?? ""}/retry`, { from: "start" });
  expect(response.status).toBe(201);
  const [, retry] = await executionsOf(bellhop, id);
  expect(retry?.waiting).toBeUndefined();
  expect(titlesIn((await getExecution(bellhop, retry?.id ?? "")).trigger)).toEqual(["one", "two"]);
});

test.each([["{{webhook.body.customer.token}}"], ["{{webhook.body.customer}}"], ["{{webhook.body}}"]])(
  "a webhook's sensitive value is no part of a key: %s",
  async (key) => {
    const response = await call(bellhop, "POST", "/workflows", {
      name: "Wrong",
      trigger: { type: "webhook", payload: "body", sensitive: ["body.customer.token"] },
      definition: { nodes: [{ id: "a", type: "delay", seconds: 1 }], edges: [], concurrency: { mode: "queue", key } },
    });
    expect(await errorPathsOf(response)).toEqual(["definition.concurrency.key"]);
  },
);

test.each<[string, object, string]>([
  ["no window", {}, "trigger.coalesce.windowSeconds"],
  ["a window of 0", { windowSeconds: 0 }, "trigger.coalesce.windowSeconds"],
  ["a part of a second", { windowSeconds: 1.5 }, "trigger.coalesce.windowSeconds"],
  [
    "a longer window than allowed",
    { windowSeconds: COALESCE_WINDOW_MAX_SECONDS + 1 },
    "trigger.coalesce.windowSeconds",
  ],
  ["an empty key", { windowSeconds: 60, key: "" }, "trigger.coalesce.key"],
  ["a key of a later time", { windowSeconds: 60, key: "{{nodes.a.status}}" }, "trigger.coalesce.key"],
  ["a key of another trigger", { windowSeconds: 60, key: "{{webhook.service}}" }, "trigger.coalesce.key"],
  ["a misspelt name", { windowSeconds: 60, key: "{{incident.servce}}" }, "trigger.coalesce.key"],
  ["an unknown field", { windowSeconds: 60, keys: "a" }, "trigger.coalesce.keys"],
])("refuses %s", async (_what, coalesce, path) => {
  const response = await call(bellhop, "POST", "/workflows", {
    name: "Wrong",
    trigger: { type: "incident", events: ["incident.created"], coalesce },
    definition: { nodes: [{ id: "a", type: "delay", seconds: 1 }], edges: [] },
  });
  expect(await errorPathsOf(response)).toContain(path);
});
