import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { z } from "zod";
import { executionEventSchemas } from "../../schema/contract/execution-event.ts";
import { AgentClient, success } from "../support/agent-client.ts";
import { startBellhop } from "../support/bellhop.ts";
import type { Bellhop } from "../support/bellhop.ts";
import { EventReader, knownFrom } from "../support/events.ts";
import type { ReceivedEvent } from "../support/events.ts";
import { eventually } from "../support/eventually.ts";
import {
  acceptedId,
  chain,
  createAgent,
  createConnection,
  createWebhookWorkflow,
  ended,
  getExecution,
} from "../support/management.ts";
import { problemOf } from "../support/management-api.ts";

let bellhop: Bellhop;
let connectionId: string;
let client: AgentClient;
beforeAll(async () => {
  bellhop = await startBellhop();
  const { apiKey } = await createAgent(bellhop, { poolId: "p" });
  connectionId = await createConnection(bellhop, { type: "script", poolId: "p" });
  client = new AgentClient(bellhop, apiKey);
  await client.register();
});
afterAll(() => bellhop.stop());

const script = (id: string) => ({ id, action: "script.bash", connectionId, params: { script: "true" } });
const start = async (definition: unknown): Promise<string> => {
  const webhook = await createWebhookWorkflow(bellhop, definition);
  return acceptedId(await webhook.ring({ nonce: crypto.randomUUID() }));
};
/** Resolves once it is in libSQL: a stream of an execution that takes longer to start than two seconds is refused. */
const startChain = async (...ids: string[]) => {
  const id = await start(chain(ids.map(script)));
  await eventually("the execution", () => getExecution(bellhop, id));
  return id;
};
const open = (id: string, lastEventId: string | null = null) =>
  EventReader.open(bellhop, `/executions/${id}/events`, lastEventId);
/** Runs the next job of this test's agent. */
const work = async () => {
  const job = await eventually("a job", async () => (await client.poll()).jobs[0]);
  await client.report(success(job, { exitCode: 0, stdout: `did ${job.id}` }));
};
const isEnd = ({ event }: ReceivedEvent) => event === "end";
/** Every event has the shape of the contract. */
const checked = (events: ReceivedEvent[]) => {
  for (const { event, data } of events) {
    const schema = z.enum(["execution", "nodeRun", "end", "reconnect"]).parse(event);
    executionEventSchemas[schema].parse(data);
  }
  return events;
};
const marksOf = (events: readonly ReceivedEvent[]) => events.flatMap(({ id }) => (id === null ? [] : [Number(id)]));
const isRising = (marks: readonly number[]) =>
  marks.every((mark, index) => index === 0 || mark >= (marks[index - 1] ?? 0));

describe("the stream of one execution", () => {
  test("begins with the whole execution, reports every change with its revision, and ends with it", async () => {
    const id = await startChain("a", "b");
    const reader = await open(id);
    expect(reader.response.headers.get("Content-Type")).toBe("text/event-stream");
    expect(reader.response.headers.get("Cache-Control")).toContain("no-store");
    const first = await reader.next();
    expect(first).toMatchObject({ event: "execution", data: { id, status: "running" } });
    expect(first?.id).toBe(reader.mark);
    expect(reader.retryMs).toBe(1_000);
    await work();
    await work();
    const events = checked([...(first === null ? [] : [first]), ...(await reader.until())]);
    expect(events.at(-1)).toMatchObject({ event: "end", data: { status: "succeeded" } });
    expect(knownFrom(events)).toEqual({ status: "succeeded", nodes: { a: "succeeded", b: "succeeded" } });
    expect(isRising(marksOf(events))).toBe(true);
    expect(marksOf(events).at(-1)).toBe((await getExecution(bellhop, id)).revision);
    const outputs = events.filter(({ event }) => event === "nodeRun").map(({ data }) => JSON.stringify(data));
    expect(outputs.some((text) => text.includes("did job_"))).toBe(true);
    // Only the first event has all node runs.
    expect(events.filter(({ data }) => JSON.stringify(data).includes('"nodeRuns"')).length).toBe(1);
  });

  test("reports a finished execution whole, and ends", async () => {
    const id = await startChain("a");
    await work();
    await ended(bellhop, id);
    const events = checked(await (await open(id)).until());
    expect(events.map(({ event }) => event)).toEqual(["execution", "end"]);
    expect(events[0]?.data).toEqual(await getExecution(bellhop, id));
    const again = await (await open(id, events.at(-1)?.id)).until();
    expect(again.map(({ event }) => event)).toEqual(["end"]);
  });

  test("reports the stages of a job, which change no revision, and why it waits", async () => {
    const pool = await createConnection(bellhop, { type: "script", poolId: "stages" });
    const { apiKey } = await createAgent(bellhop, { poolId: "stages" });
    const late = new AgentClient(bellhop, apiKey);
    const id = await start(chain([{ ...script("a"), connectionId: pool }]));
    const reader = await open(id);
    const before = await reader.until(({ data }) => JSON.stringify(data).includes("never started"));
    expect(knownFrom(before).nodes).toEqual({ a: "waiting" });
    await late.register();
    const job = await eventually("the job", async () => (await late.poll()).jobs[0]);
    const running = await reader.until(
      ({ event, data }) => event === "nodeRun" && JSON.stringify(data).includes('"running"'),
    );
    const last = running.at(-1);
    expect(last?.id).toBeNull();
    expect(executionEventSchemas.nodeRun.parse(last?.data)).toMatchObject({
      waitingFor: null,
      timeline: { deliveredAt: expect.any(String) },
    });
    await late.report(success(job));
    expect((await reader.until()).at(-1)?.event).toBe("end");
  });

  test("brings a reader that reconnects after any event to the same state", async () => {
    const id = await startChain("a", "b", "c");
    const straight = (await open(id)).until();
    const events: ReceivedEvent[] = [];
    let mark: string | null = null;
    let [drops, done] = [0, 0];
    for (;;) {
      const reader: EventReader = await open(id, mark);
      const event = await reader.next();
      reader.drop();
      if (event === null) break;
      // An event without an id is sent again as long as the position is before it; the next one is then requested.
      if (event.event === "nodeRun") {
        const longer: EventReader = await open(id, mark);
        const more = await longer.until(({ event }) => event !== "nodeRun");
        longer.drop();
        events.push(...more);
        mark = longer.mark;
      } else {
        events.push(event);
        mark = reader.mark;
      }
      drops += 1;
      if (events.some(isEnd)) break;
      if (done < 3) await work();
      done += 1;
    }
    expect(drops).toBeGreaterThan(2);
    expect(isRising(marksOf(events))).toBe(true);
    const expected = { status: "succeeded", nodes: { a: "succeeded", b: "succeeded", c: "succeeded" } };
    expect(knownFrom(events)).toEqual(expected);
    expect(knownFrom(await straight)).toEqual(expected);
  });

  test("leaves out no revision of simultaneous changes, for two readers", async () => {
    const ids = Array.from({ length: 5 }, (_, index) => `n${index}`);
    const id = await start({ nodes: ids.map((nodeId) => ({ type: "action", ...script(nodeId) })), edges: [] });
    const readers = [await open(id), await open(id)];
    const jobs = await eventually("all jobs", async () => {
      const { jobs } = await client.poll([], 5);
      return jobs.length === 5 ? jobs : null;
    });
    await Promise.all(jobs.map((job) => client.report(success(job))));
    for (const reader of readers) {
      const events = checked(await reader.until());
      expect(knownFrom(events).nodes).toEqual(Object.fromEntries(ids.map((nodeId) => [nodeId, "succeeded"])));
      expect(isRising(marksOf(events))).toBe(true);
    }
  });

  test("reports delays to their end without an agent", async () => {
    const id = await start({ nodes: [{ id: "pause", type: "delay", seconds: 1 }], edges: [] });
    const events = checked(await (await open(id)).until());
    expect(knownFrom(events)).toEqual({ status: "succeeded", nodes: { pause: "succeeded" } });
  });

  test("has no gaps for a reader that reconnects after a restart of the service", async () => {
    const id = await startChain("a", "b");
    const reader = await open(id);
    const first = await reader.next();
    expect(first?.event).toBe("execution");
    await bellhop.restartWorker();
    reader.drop();
    await work();
    await work();
    const events = checked(await (await open(id, reader.mark)).until());
    expect(knownFrom(events)).toEqual({ status: "succeeded", nodes: { a: "succeeded", b: "succeeded" } });
    expect(events.at(-1)?.event).toBe("end");
  });

  test("leaves the service working after fifty readers leave without closing", async () => {
    const id = await startChain("a");
    const readers = await Promise.all(Array.from({ length: 50 }, () => open(id)));
    await Promise.all(readers.map((reader) => reader.next()));
    for (const reader of readers) reader.drop();
    const reader = await open(id);
    await work();
    expect((await reader.until()).at(-1)?.event).toBe("end");
  });

  test("begins again for an unknown position, and refuses a position that is not a number", async () => {
    const id = await startChain("a");
    const reader = await open(id, "999999");
    expect(await reader.next()).toMatchObject({ event: "execution", data: { nodeRuns: [{ nodeId: "a" }] } });
    await work();
    expect((await reader.until()).at(-1)?.event).toBe("end");
    for (const wrong of ["abc", "-1", "1.5", "9".repeat(20)]) {
      const response = await bellhop.api("GET", `/api/v1/automation/executions/${id}/events`, undefined, {
        "Last-Event-ID": wrong,
      });
      const problem = await problemOf(response, 400, "invalid_request");
      expect(problem.errors?.[0]?.path).toBe("Last-Event-ID");
    }
  });

  test("refuses an unknown execution, an anonymous caller and another method", async () => {
    await problemOf(await bellhop.api("GET", "/api/v1/automation/executions/exe_none/events"), 404, "not_found");
    await problemOf(await fetch(`${bellhop.url}/api/v1/automation/executions/exe_none/events`), 401, "unauthorized");
    await problemOf(
      await bellhop.api("POST", "/api/v1/automation/executions/exe_none/events"),
      405,
      "method_not_allowed",
    );
    const id = await startChain("a");
    await work();
    const head = await bellhop.api("HEAD", `/api/v1/automation/executions/${id}/events`);
    expect(head.status).toBe(200);
  });
});
