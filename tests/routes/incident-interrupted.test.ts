import { afterAll, beforeAll, expect, test } from "bun:test";
import { startBellhop } from "../support/bellhop.ts";
import type { Bellhop } from "../support/bellhop.ts";
import { eventually } from "../support/eventually.ts";
import {
  aGroup,
  anAlert,
  createIncident,
  createIntegration,
  deliver,
  executionsOf,
  getIncident,
  incidentWorkflow,
  listIncidents,
  matched,
  outcomesOf,
} from "../support/incidents.ts";
import { query } from "../support/database.ts";
import { passOn } from "../support/test-database.ts";

/** libSQL fails for one kind of statement: the Worker reaches the real one through a relay. */
let bellhop: Bellhop;
let failing: RegExp | null = null;
let refused = 0;
let requests = 0;
let relay: ReturnType<typeof Bun.serve>;

beforeAll(async () => {
  relay = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: async (request) => {
      const body = await request.text();
      requests += 1;
      if (failing?.test(body) === true) {
        refused += 1;
        return new Response("gone", { status: 502 });
      }
      return passOn(bellhop.libsql, request, body);
    },
  });
  bellhop = await startBellhop({ bindings: { DATABASE_URL: `http://127.0.0.1:${relay.port}` } });
});
afterAll(async () => {
  await bellhop.stop();
  await relay.stop(true);
});

async function whileFailing<T>(statement: RegExp, work: () => Promise<T>): Promise<T> {
  failing = statement;
  refused = 0;
  try {
    return await work();
  } finally {
    failing = null;
  }
}

const unmatched = () => query(bellhop, "select id from incident_events where matched_at is null");

test("a large group takes few requests to the database, and few more the second time", async () => {
  // There is no workflow yet: the writes of executions do not count here.
  const integration = await createIntegration(bellhop, "alertmanager");
  const alerts = Array.from({ length: 400 }, () => anAlert());
  for (const outcome of ["created", "unchanged"]) {
    requests = 0;
    const outcomes = await outcomesOf(await deliver(integration, aGroup(...alerts)));
    expect(new Set(outcomes)).toEqual(new Set([outcome]));
    await matched(bellhop);
    // Eight times three look-ups, a batch and a mark, and the requests around them.
    expect(requests).toBeLessThan(50);
  }
});

test("the tick starts an execution that failed to start, and does not start its sibling again", async () => {
  const first = await incidentWorkflow(bellhop);
  const second = await incidentWorkflow(bellhop);
  // The batch of a start names its workflow.
  const startOfSecond = new RegExp(`insert into .{0,2}executions[^_].*${second}`, "su");
  const { id } = await whileFailing(startOfSecond, async () => {
    const incident = await createIncident(bellhop);
    // A batch without an answer is tried three times.
    await eventually("the start to fail", () => refused >= 3);
    await eventually("the other to be started", async () => (await executionsOf(bellhop, first)).length === 1);
    return incident;
  });
  expect(await executionsOf(bellhop, second)).toEqual([]);
  expect(await getIncident(bellhop, id)).toMatchObject({ events: [{ matchedAt: null, executions: [{}] }] });
  await bellhop.worker.tick();
  expect(await unmatched()).toEqual([]);
  expect(await executionsOf(bellhop, first)).toHaveLength(1);
  expect(await executionsOf(bellhop, second)).toHaveLength(1);
});

test("a group whose delivery is interrupted is complete after it is sent again, with no alert twice", async () => {
  const workflowId = await incidentWorkflow(bellhop, {
    conditions: { logic: "all", conditions: [{ field: "title", operator: "matches", value: "^(first|last)$" }] },
  });
  const integration = await createIntegration(bellhop, "alertmanager");
  // More alerts than one batch writes.
  const names = ["first", ...Array.from({ length: 50 }, (_, index) => `alert ${index}`), "last"];
  const alerts = names.map((name) => anAlert({ annotations: { summary: name }, labels: { service: "broken-off" } }));
  const answer = await whileFailing(/insert into .{0,2}incidents.*last/su, () =>
    deliver(integration, aGroup(...alerts)),
  );
  expect(answer.status).toBe(503);
  expect(answer.headers.get("Retry-After")).not.toBeNull();
  await matched(bellhop);
  const titles = async () => (await listIncidents(bellhop, "service=broken-off&limit=200")).map(({ title }) => title);
  expect((await titles()).sort()).toEqual(names.slice(0, 50).sort());
  expect(await executionsOf(bellhop, workflowId)).toHaveLength(1);
  expect(await outcomesOf(await deliver(integration, aGroup(...alerts)))).toEqual([
    ...Array.from({ length: 50 }, () => "unchanged"),
    "created",
    "created",
  ]);
  await matched(bellhop);
  expect((await titles()).sort()).toEqual([...names].sort());
  expect(await executionsOf(bellhop, workflowId)).toHaveLength(2);
});
