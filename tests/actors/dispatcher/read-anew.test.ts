import { describe, expect, test } from "bun:test";
import { connection, order } from "../../support/dispatcher-harness.ts";
import { waitingFor, withPair } from "../../support/dispatcher-setups.ts";

const SECOND_MS = 1_000;

describe("the connection, read anew at every assignment", () => {
  test("an edit takes effect with the next job", async () => {
    const { harness, a } = withPair("a");
    harness.enqueue(order("job_1"));
    harness.connections.set("con_1", connection("con_1", { type: "custom", config: { fields: { region: "eu" } } }));
    expect((await a.poll()).jobs[0]?.connection?.config).toEqual({ fields: { region: "eu" } });
  });

  test.each([
    ["connection_disabled", { enabled: false }],
    ["connection_unassigned", { target: null }],
    ["agent_deleted", { agentDeleted: true }],
    ["connection_deleted", null],
  ] as const)("a job ends as failed with %s", async (code, changes) => {
    const { harness, a } = withPair("a");
    harness.enqueue(order("job_1"));
    if (changes === null) harness.connections.delete("con_1");
    else harness.connections.set("con_1", connection("con_1", changes));
    expect(await a.fetch()).toEqual([]);
    await harness.settled();
    expect(harness.end("job_1")).toMatchObject({ status: "failed", error: { code }, lost: false, agentId: null });
    expect(harness.state.jobs.get("job_1")).toBeUndefined();
  });

  test("a job whose connection moved is ordered in that pool, once, and can come back", async () => {
    const { harness, a } = withPair("a");
    harness.enqueue(order("job_1"));
    harness.connections.set("con_1", connection("con_1", { target: { poolObject: "agent:x", pinnedAgentId: "x" } }));
    expect(await a.fetch()).toEqual([]);
    await harness.settled();
    expect(harness.rerouted).toMatchObject([
      { jobId: "job_1", attempt: 1, reroute: { poolObject: "agent:x", pinnedAgentId: "x", reroutes: 1 } },
    ]);
    expect(await a.fetch()).toEqual([]);
    expect(harness.ends).toEqual([]);
    harness.connections.set("con_1", connection("con_1"));
    // What was told before is told again: the job is elsewhere.
    harness.enqueue(order("job_1"));
    expect(await a.fetch()).toEqual([]);
    harness.enqueue(order("job_1", { reroutes: 2 }));
    expect(await a.fetch()).toEqual(["job_1"]);
  });

  test("moved to an agent in the same pool, a job is pinned to that one", async () => {
    const { harness, a, b } = withPair("a", "b");
    harness.enqueue(order("job_1"));
    harness.connections.set("con_1", connection("con_1", { target: { poolObject: "pool:web", pinnedAgentId: "b" } }));
    expect(await a.fetch()).toEqual([]);
    harness.restart();
    expect(await a.fetch()).toEqual([]);
    expect(await b.fetch()).toEqual(["job_1"]);
  });

  test("with the database down the job stays, the view says why, and a later poll gets it", async () => {
    const { harness, a } = withPair("a");
    harness.enqueue(order("job_1"));
    harness.databaseDown = true;
    expect(await a.fetch()).toEqual([]);
    expect(waitingFor(harness)[0]).toContain("database does not answer");
    harness.databaseDown = false;
    expect(await a.fetch()).toEqual(["job_1"]);
  });

  test("jobs that no agent can take are looked at within seconds: they end or move on, too", async () => {
    const { harness } = withPair();
    harness.enqueue(order("job_1"), order("job_2", { connectionId: "con_2" }));
    harness.connections.set("con_2", connection("con_2", { target: { poolObject: "pool:db", pinnedAgentId: null } }));
    harness.connections.set("con_1", connection("con_1", { enabled: false }));
    // Soon after they came, and every minute from then on.
    await harness.advance(4 * SECOND_MS);
    expect(harness.end("job_1")).toMatchObject({ error: { code: "connection_disabled" } });
    expect(harness.rerouted.map(({ jobId }) => jobId)).toEqual(["job_2"]);
    expect(harness.state.jobs.waiting()).toHaveLength(0);
  });

  test("a connection that is disabled while its job waits is noticed with the next minute's look", async () => {
    const { harness } = withPair();
    harness.enqueue(order("job_1"));
    await harness.advance(4 * SECOND_MS);
    expect(harness.state.jobs.waiting()).toHaveLength(1);
    harness.connections.set("con_1", connection("con_1", { enabled: false }));
    await harness.advance(61 * SECOND_MS);
    expect(harness.end("job_1")).toMatchObject({ error: { code: "connection_disabled" } });
  });

  test("one whose edit the dispatcher hears of is looked at without delay; while nothing waits, that costs nothing", async () => {
    const { harness } = withPair();
    harness.enqueue(order("job_1"));
    await harness.advance(4 * SECOND_MS);
    harness.connections.set("con_1", connection("con_1", { enabled: false }));
    harness.dispatcher.review("con_1");
    await harness.advance(0);
    expect(harness.end("job_1")).toMatchObject({ error: { code: "connection_disabled" } });
    const reads = harness.connectionReads;
    harness.dispatcher.review("con_1");
    await harness.advance(SECOND_MS);
    expect(harness.connectionReads).toBe(reads);
  });
});
