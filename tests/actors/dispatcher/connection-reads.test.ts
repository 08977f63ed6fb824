import { describe, expect, test } from "bun:test";
import { connection, order } from "../../support/dispatcher-harness.ts";
import { waitingFor, withPair } from "../../support/dispatcher-setups.ts";

const SECOND_MS = 1_000;

describe("the connection, which is read again for every assignment,", () => {
  test("applies an edit to the next job", async () => {
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
  ] as const)("fails a job with %s", async (code, changes) => {
    const { harness, a } = withPair("a");
    harness.enqueue(order("job_1"));
    if (changes === null) harness.connections.delete("con_1");
    else harness.connections.set("con_1", connection("con_1", changes));
    expect(await a.fetch()).toEqual([]);
    await harness.settled();
    expect(harness.end("job_1")).toMatchObject({ status: "failed", error: { code }, lost: false, agentId: null });
    expect(harness.state.jobs.get("job_1")).toBeUndefined();
  });

  test("sends a job to the pool that it moved to, once, and back again after another move", async () => {
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
    // The first move is reported again: the job is in another pool.
    harness.enqueue(order("job_1"));
    expect(await a.fetch()).toEqual([]);
    harness.enqueue(order("job_1", { reroutes: 2 }));
    expect(await a.fetch()).toEqual(["job_1"]);
  });

  test("pins a job to an agent of the same pool that it moved to", async () => {
    const { harness, a, b } = withPair("a", "b");
    harness.enqueue(order("job_1"));
    harness.connections.set("con_1", connection("con_1", { target: { poolObject: "pool:web", pinnedAgentId: "b" } }));
    expect(await a.fetch()).toEqual([]);
    harness.restart();
    expect(await a.fetch()).toEqual([]);
    expect(await b.fetch()).toEqual(["job_1"]);
  });

  test("leaves a job waiting while the database is down, with the reason, and a later poll gets the job", async () => {
    const { harness, a } = withPair("a");
    harness.enqueue(order("job_1"));
    harness.databaseDown = true;
    expect(await a.fetch()).toEqual([]);
    expect(waitingFor(harness)[0]).toContain("database does not answer");
    harness.databaseDown = false;
    expect(await a.fetch()).toEqual(["job_1"]);
  });

  test("ends or moves a job within seconds even if no agent can take it", async () => {
    const { harness } = withPair();
    harness.enqueue(order("job_1"), order("job_2", { connectionId: "con_2" }));
    harness.connections.set("con_2", connection("con_2", { target: { poolObject: "pool:db", pinnedAgentId: null } }));
    harness.connections.set("con_1", connection("con_1", { enabled: false }));
    // The first review follows soon, and further reviews every minute.
    await harness.advance(4 * SECOND_MS);
    expect(harness.end("job_1")).toMatchObject({ error: { code: "connection_disabled" } });
    expect(harness.rerouted.map(({ jobId }) => jobId)).toEqual(["job_2"]);
    expect(harness.state.jobs.waiting()).toHaveLength(0);
  });

  test("ends a waiting job at the next review after it was disabled", async () => {
    const { harness } = withPair();
    harness.enqueue(order("job_1"));
    await harness.advance(4 * SECOND_MS);
    expect(harness.state.jobs.waiting()).toHaveLength(1);
    harness.connections.set("con_1", connection("con_1", { enabled: false }));
    await harness.advance(61 * SECOND_MS);
    expect(harness.end("job_1")).toMatchObject({ error: { code: "connection_disabled" } });
  });

  test("is read without delay when its edit is reported, and costs nothing while no job waits", async () => {
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
