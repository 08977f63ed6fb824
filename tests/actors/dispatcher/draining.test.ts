import { beforeEach, describe, expect, test } from "bun:test";
import { presenceOf, viewPool } from "../../../worker/actors/dispatcher/views.ts";
import { AgentProbe, DispatcherHarness, order, refOf } from "../../support/dispatcher-harness.ts";

let harness: DispatcherHarness;
let leaving: AgentProbe;
let other: AgentProbe;
beforeEach(() => {
  harness = new DispatcherHarness();
  leaving = new AgentProbe(harness, "a-leaving");
  other = new AgentProbe(harness, "b-other");
  for (const agent of [leaving, other]) agent.register();
});

const drain = (...held: ReturnType<typeof refOf>[]) => leaving.heartbeat([], held, { draining: true });
const stageOf = (jobId: string) => harness.state.jobs.get(jobId)?.job.stage;
const statusOf = (agent: AgentProbe) => presenceOf(harness.state, [agent.agentId], harness.now)[0]?.status;
const settingsOf = ({ agentId }: AgentProbe) => ({
  agentId,
  name: agentId,
  epoch: 2,
  enabled: true,
  removed: false,
});

/** Delivers a job to the agent and returns the lease. */
async function working() {
  harness.enqueue(order("job_0"));
  const [job] = (await leaving.poll()).jobs;
  if (job === undefined) throw new Error("the job was not delivered");
  return refOf(job);
}

describe("an agent that shuts down", () => {
  test("gets no new job: a new job is immediately reserved for another agent", async () => {
    const held = await working();
    await drain(held);
    harness.enqueue(order("job_1"), order("job_2"));
    expect(stageOf("job_1")).toMatchObject({ type: "reserved", agentId: "b-other" });
    expect(await leaving.fetch([held])).toEqual([]);
    expect(await other.fetch()).toEqual(["job_1", "job_2"]);
  });

  test("loses its reserved jobs", async () => {
    harness.enqueue(order("job_1"));
    expect(stageOf("job_1")).toMatchObject({ type: "reserved", agentId: "a-leaving" });
    await drain();
    expect(stageOf("job_1")).toMatchObject({ type: "reserved", agentId: "b-other" });
  });

  test("still reports its running jobs, and stays Online until it says goodbye", async () => {
    const held = await working();
    await drain(held);
    await harness.advance(30_000);
    await drain(held);
    expect(presenceOf(harness.state, ["a-leaving"], harness.now)).toMatchObject([{ status: "Online", draining: true }]);
    expect(viewPool(harness.state, "web", harness.now).members[0]).toMatchObject({ status: "Online", draining: true });
    expect(await leaving.report(held)).toBe("accepted");
  });

  test("loses a job that it never received to another agent, even if the job is unsafe to run twice", async () => {
    const held = await working();
    harness.enqueue(order("job_1", { pinnedAgentId: null }));
    await other.poll([], 0);
    expect(await leaving.fetch([held])).toEqual(["job_1"]);
    await drain(held);
    expect(stageOf("job_0")).toMatchObject({ type: "delivered", agentId: "a-leaving" });
    expect(await other.fetch()).toEqual(["job_1"]);
  });

  test("is named in the reason why a job waits", async () => {
    await other.poll([], 0);
    await drain();
    harness.enqueue(order("job_1"));
    await harness.dispatcher.configureAgent({ ...settingsOf(other), enabled: false, removed: true });
    expect(viewPool(harness.state, "web", harness.now).waiting).toMatchObject([{ code: "draining" }]);
  });

  test("gets no jobs after a restart of the dispatcher, until the agent is started again", async () => {
    await drain();
    harness.restart();
    harness.enqueue(order("job_1"));
    expect(await leaving.fetch()).toEqual([]);
    expect(await other.fetch()).toEqual(["job_1"]);
    leaving.instanceId = "instance-2";
    leaving.register();
    harness.enqueue(order("job_2"));
    await other.poll([], 0);
    expect(await leaving.fetch()).toEqual(["job_2"]);
  });
});

test("an agent that registers again as the same process during its shutdown still gets no jobs", async () => {
  await drain();
  leaving.register();
  harness.enqueue(order("job_1"));
  expect(await leaving.fetch()).toEqual([]);
  expect(await other.fetch()).toEqual(["job_1"]);
});

describe("Online", () => {
  test("is not the status of a disabled agent that still calls, until it is enabled again", async () => {
    await leaving.heartbeat();
    await harness.dispatcher.configureAgent({ ...settingsOf(leaving), enabled: false });
    leaving.epoch = 2;
    await leaving.heartbeat();
    expect(statusOf(leaving)).toBe("Offline");
    expect(viewPool(harness.state, "web", harness.now).members[0]?.status).toBe("Offline");
    await harness.dispatcher.configureAgent({ ...settingsOf(leaving), epoch: 3 });
    expect(statusOf(leaving)).toBe("Online");
  });

  test("is not the status of an agent with a new key, until it registers with that key", async () => {
    harness.enqueue(order("job_1"));
    expect(stageOf("job_1")).toMatchObject({ type: "reserved", agentId: "a-leaving" });
    await harness.dispatcher.configureAgent({ ...settingsOf(leaving), rekeyed: true });
    expect(statusOf(leaving)).toBe("Offline");
    expect(await leaving.heartbeat()).toEqual({ refused: "unauthorized" });
    expect(statusOf(leaving)).toBe("Offline");
    expect(await other.fetch()).toEqual(["job_1"]);
    harness.restart();
    expect(presenceOf(harness.state, ["a-leaving"], harness.now)).toMatchObject([{ rekeyed: true }]);
    leaving.epoch = 2;
    leaving.register();
    expect(statusOf(leaving)).toBe("Online");
    harness.dispatcher.offline({ ...leaving.caller });
    expect(presenceOf(harness.state, ["a-leaving"], harness.now)[0]).not.toHaveProperty("rekeyed");
  });
});
