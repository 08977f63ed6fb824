import { describe, expect, test } from "bun:test";
import { cancelJobs } from "../../../worker/services/pool/cancel.ts";
import { configureAgent } from "../../../worker/services/pool/configure-agent.ts";
import { PoolAgentProbe, PoolHarness, connection, order, refOf } from "../../support/pool-harness.ts";

const SECOND_MS = 1_000;

/** An agent that got a job from one Pool and was then moved to another. */
async function moved(effect: "unsafe" | "idempotent" = "unsafe") {
  const former = new PoolHarness();
  const present = new PoolHarness();
  const agent = new PoolAgentProbe(former, "a");
  agent.register();
  former.enqueue(order("job_1", { effect }));
  const [job] = (await agent.poll()).jobs;
  if (job === undefined) throw new Error("the job was not delivered");
  configureAgent(former.pool, { agentId: "a", name: "a", epoch: 2, enabled: true, removed: true, moved: true });
  present.others.set("pool:web", former);
  present.issuers.set("job_1", "pool:web");
  const there = new PoolAgentProbe(present, "a");
  there.epoch = 2;
  there.register();
  return { former, present, agent, there, ref: refOf(job) };
}

describe("an agent that was moved to another pool", () => {
  test("is served there alone, and keeps what it runs: the result is its first pool's", async () => {
    const { former, present, agent, there, ref } = await moved();
    agent.epoch = 2;
    expect(await agent.tryPoll()).toEqual({ refused: "register_again" });
    expect(await there.poll([ref])).toEqual({ jobs: [], cancelled: [] });
    expect(await there.report(ref)).toBe("accepted");
    expect(await there.report(ref)).toBe("duplicate");
    expect(former.end("job_1")).toMatchObject({ status: "succeeded", agentId: "a" });
    expect(present.ends).toEqual([]);
  });

  test("is not lost while its new pool hears of it, and is when that does not", async () => {
    const { former, present, there, ref } = await moved();
    for (let waited = 0; waited < 150; waited += 30) {
      await there.heartbeat([], [ref]);
      await former.advance(30 * SECOND_MS);
      await present.advance(30 * SECOND_MS);
    }
    expect(former.end("job_1")).toBeUndefined();
    await former.advance(95 * SECOND_MS);
    expect(former.end("job_1")).toMatchObject({ error: { code: "agent_lost" } });
    expect((await there.poll([ref])).cancelled).toEqual([ref]);
  });

  test("hears of a cancel by way of its new pool", async () => {
    const { former, there, ref } = await moved();
    await cancelJobs(former.pool, ["job_1"]);
    expect((await there.poll([ref])).cancelled).toEqual([ref]);
    expect(await there.heartbeat([], [ref])).toMatchObject({ cancelled: [ref] });
  });

  test("goes on, and keeps its result, while the database or its first pool does not answer", async () => {
    const { former, present, there, ref } = await moved();
    present.databaseDown = true;
    expect((await there.poll([ref])).cancelled).toEqual([]);
    expect(await there.report(ref)).toBe("retry");
    present.databaseDown = false;
    present.others.delete("pool:web");
    expect((await there.poll([ref])).cancelled).toEqual([]);
    expect(await there.report(ref)).toBe("retry");
    present.others.set("pool:web", former);
    expect(await there.report(ref)).toBe("accepted");
  });

  test("must stop what nobody gave out", async () => {
    const { there } = await moved();
    const unheardOf = { jobId: "job_9", lease: "x" };
    expect((await there.poll([unheardOf])).cancelled).toEqual([unheardOf]);
    expect(await there.report(unheardOf)).toBe("unknown");
  });

  test("has what it had not fetched ordered again: pinned jobs follow it, the others stay for the pool", async () => {
    const former = new PoolHarness();
    const agent = new PoolAgentProbe(former, "a");
    agent.register();
    former.connections.set("con_a", connection("con_a", { target: { poolObject: "pool:web", pinnedAgentId: "a" } }));
    former.enqueue(order("job_1", { connectionId: "con_a", pinnedAgentId: "a" }), order("job_2"));
    former.connections.set("con_a", connection("con_a", { target: { poolObject: "pool:db", pinnedAgentId: "a" } }));
    configureAgent(former.pool, { agentId: "a", name: "a", epoch: 2, enabled: true, removed: true, moved: true });
    await former.advance(5 * SECOND_MS);
    expect(former.rerouted).toMatchObject([{ jobId: "job_1", reroute: { poolObject: "pool:db", pinnedAgentId: "a" } }]);
    expect(former.pool.jobs.waiting().map(({ job }) => job.facts.jobId)).toEqual(["job_2"]);
  });
});
