import { describe, expect, test } from "bun:test";
import { AgentProbe, DispatcherHarness, connection, order, refOf } from "../../support/dispatcher-harness.ts";

const SECOND_MS = 1_000;
const MOVED = { agentId: "a", name: "a", epoch: 2, enabled: true, removed: true };

/** Agents "a" and "b" in pool `web`. "a" is to leave the pool. */
function setup() {
  const harness = new DispatcherHarness();
  const [agent, other] = [new AgentProbe(harness, "a"), new AgentProbe(harness, "b")];
  agent.register();
  const move = () => harness.dispatcher.configureAgent(MOVED, true);
  return { harness, agent, other, move };
}

async function delivered(changes: Parameters<typeof order>[1] = {}) {
  const all = setup();
  all.harness.enqueue(order("job_1", changes));
  const [job] = (await all.agent.poll()).jobs;
  if (job === undefined) throw new Error("the job was not delivered");
  return { ...all, ref: refOf(job) };
}

/** The agent in its next pool. */
function elsewhere() {
  const harness = new DispatcherHarness();
  const agent = new AgentProbe(harness, "a");
  agent.epoch = 2;
  agent.register();
  return { harness, agent };
}

describe("an agent that is moved to another pool", () => {
  test("stays with full service while it has a job, and leaves when it has reported the result", async () => {
    const { harness, agent, move, ref } = await delivered();
    expect(move()).toBe(1);
    harness.enqueue(order("job_2"));
    expect(await agent.fetch([ref])).toEqual(["job_2"]);
    expect(move()).toBe(2);
    expect(await agent.report(ref)).toBe("accepted");
    expect(harness.end("job_1")).toMatchObject({ status: "succeeded", agentId: "a" });
    expect(move()).toBe(1);
    expect(await agent.report({ jobId: "job_2", lease: "lease2" })).toBe("accepted");
    expect([move(), move()]).toEqual([0, 0]);
    agent.epoch = 2;
    expect(await agent.tryPoll()).toEqual({ refused: "register_again" });
  });

  test("stays while its result cannot be committed", async () => {
    const { harness, agent, move, ref } = await delivered();
    harness.databaseDown = true;
    expect(await agent.report(ref)).toBe("retry");
    expect(move()).toBe(1);
  });

  test("leaves when its job was lost", async () => {
    const { harness, move } = await delivered();
    await harness.advance(100 * SECOND_MS);
    expect(harness.end("job_1")).toMatchObject({ error: { code: "agent_lost" } });
    expect(move()).toBe(0);
  });

  test("immediately loses its reserved jobs, which go to another agent", async () => {
    const { harness, other, move } = setup();
    harness.enqueue(order("job_1"));
    other.register();
    expect(move()).toBe(0);
    expect(await other.fetch()).toEqual(["job_1"]);
  });

  test("gets no job from a poll that is under way", async () => {
    const { harness, agent, other, move } = setup();
    harness.enqueue(order("job_1"));
    const polled = agent.tryPoll();
    expect(move()).toBe(0);
    expect(await polled).toEqual({ refused: "unauthorized" });
    other.register();
    expect(await other.fetch()).toEqual(["job_1"]);
  });

  test("has its pinned jobs ordered in its new pool, while other jobs stay", async () => {
    const { harness, move } = setup();
    harness.connections.set("con_a", connection("con_a", { target: { poolObject: "pool:web", pinnedAgentId: "a" } }));
    harness.enqueue(order("job_1", { connectionId: "con_a", pinnedAgentId: "a" }), order("job_2"));
    harness.connections.set("con_a", connection("con_a", { target: { poolObject: "pool:db", pinnedAgentId: "a" } }));
    expect(move()).toBe(0);
    await harness.advance(5 * SECOND_MS);
    const reroute = { poolObject: "pool:db", pinnedAgentId: "a", reroutes: 1 };
    expect(harness.rerouted).toMatchObject([{ jobId: "job_1", reroute }]);
    expect(harness.state.jobs.waiting().map(({ job }) => job.facts.jobId)).toEqual(["job_2"]);
  });

  test("must stop the job that it lost in its former pool, whose result is recorded and not applied", async () => {
    const { harness, move, ref } = await delivered({ effect: "idempotent" });
    await harness.advance(100 * SECOND_MS);
    expect(move()).toBe(0);
    const there = elsewhere();
    // All pools share one libSQL database.
    there.harness.jobs.add(ref.jobId);
    expect((await there.agent.poll([ref])).cancelled).toEqual([ref]);
    expect(there.agent.heartbeat([], [ref])).toMatchObject({ cancelled: [ref] });
    there.harness.databaseDown = true;
    expect(await there.agent.report(ref)).toBe("retry");
    there.harness.databaseDown = false;
    expect(await there.agent.report(ref)).toBe("unknown");
    expect(there.harness.stale).toMatchObject([{ agentId: "a", result: ref }]);
    expect([harness.ends, there.harness.ends]).toEqual([[], []]);
  });
});
