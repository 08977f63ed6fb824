import { beforeEach, describe, expect, test } from "bun:test";
import { jobStatesOf, viewPool } from "../../../worker/actors/dispatcher/views.ts";
import { POOL, AgentProbe, DispatcherHarness, connection, order } from "../../support/dispatcher-harness.ts";

/** The action of all jobs here except one. */
const BASH = "script.bash";
let harness: DispatcherHarness;
let older: AgentProbe;
let lesser: AgentProbe;
let newer: AgentProbe;
beforeEach(() => {
  harness = new DispatcherHarness();
  older = new AgentProbe(harness, "a-older");
  lesser = new AgentProbe(harness, "b-lesser");
  newer = new AgentProbe(harness, "c-newer");
});

const register = (agent: AgentProbe, ...actions: string[]) => agent.register({ actions });
const why = () => viewPool(harness.state, "web", harness.now).waiting.map(({ jobId, code }) => [jobId, code]);
const reasonOf = (jobId: string) => jobStatesOf(harness.state, [jobId], harness.now)[0]?.waiting?.detail;

describe("a job goes to an agent that can run its action", () => {
  test("it passes over an agent without that action", async () => {
    register(lesser, "script.python");
    register(newer, BASH, "redis.get");
    harness.enqueue(order("job_1"), order("job_2"), order("job_3", { action: "script.python" }));
    expect(await lesser.fetch()).toEqual(["job_3"]);
    expect(await newer.fetch()).toEqual(["job_1", "job_2"]);
  });

  test("an action of protocol 1 also goes to an older agent that registered none", async () => {
    older.register();
    register(lesser, "script.python");
    harness.enqueue(order("job_1"));
    expect(await older.fetch()).toEqual(["job_1"]);
  });

  test("among hundreds of agents that cannot", async () => {
    const many = Array.from({ length: 200 }, (_, n) => new AgentProbe(harness, `a-${n}`));
    for (const agent of many) register(agent, "script.python");
    register(newer, BASH);
    harness.enqueue(order("job_1"), order("job_2"));
    expect(await newer.fetch()).toEqual(["job_1", "job_2"]);
  });
});

describe("a job whose action no agent can run", () => {
  test("waits with that reason, and delays no other job", async () => {
    register(lesser, "script.python");
    harness.enqueue(order("job_1"), order("job_2", { action: "script.python" }));
    expect(await lesser.fetch()).toEqual(["job_2"]);
    expect(why()).toEqual([["job_1", "no_action"]]);
  });

  test("waits with that reason also when it is pinned to an agent without the action", async () => {
    register(lesser, "script.python");
    newer.register();
    harness.connections.set("con_a", connection("con_a", { target: { poolObject: POOL, pinnedAgentId: "b-lesser" } }));
    harness.enqueue(order("job_1", { pinnedAgentId: "b-lesser", connectionId: "con_a" }));
    for (const agent of [lesser, newer]) expect(await agent.fetch()).toEqual([]);
    expect(why()).toEqual([["job_1", "no_action"]]);
  });

  test("is reserved for an agent that is updated while it waits", async () => {
    register(lesser, "script.python");
    harness.enqueue(order("job_1"));
    expect(await lesser.fetch()).toEqual([]);
    lesser.instanceId = "instance-2";
    register(lesser, "script.python", BASH);
    expect(why()).toEqual([["job_1", "next_poll"]]);
    expect(await lesser.fetch()).toEqual(["job_1"]);
  });

  test("is not examined again when an agent without the action asks for jobs", () => {
    register(lesser, "script.python");
    harness.enqueue(order("job_1"));
    const { queue } = harness.state.jobs;
    queue.reopenFor("b-lesser", { credentials: new Map(), abilities: { actions: { more: [], less: [BASH] } } });
    expect(queue.next).toBeUndefined();
    queue.reopenFor("b-lesser", { credentials: new Map(), abilities: {} });
    expect(queue.next?.job.facts.jobId).toBe("job_1");
  });

  test("that was reserved for an agent goes to another agent when the first registers without the action", async () => {
    register(lesser, BASH);
    harness.enqueue(order("job_1"));
    expect(why()).toEqual([["job_1", "next_poll"]]);
    register(lesser, "script.python");
    expect(why()).toEqual([["job_1", "no_action"]]);
    older.register();
    expect(await older.fetch()).toEqual(["job_1"]);
  });
});

test("a connection test goes to an agent that registered an action of the connection's type", async () => {
  harness.connections.set("con_ssh", connection("con_ssh", { type: "ssh" }));
  lesser.register({ capabilities: ["script"], actions: [BASH] });
  const checked = order("job_1", { kind: "connectionTest", action: null, testedType: "ssh", connectionId: "con_ssh" });
  harness.enqueue(checked);
  expect(await lesser.fetch()).toEqual([]);
  expect(reasonOf("job_1")).toBe(
    "No agent of the pool can take it: b-lesser is too old for connections of type ssh. Update it.",
  );
  newer.register({ capabilities: ["script", "ssh"], actions: [BASH] });
  expect(await newer.fetch()).toEqual(["job_1"]);
});

test("the dispatcher knows the actions of its agents after a restart", async () => {
  register(lesser, "script.python");
  register(newer, BASH, "redis.get");
  harness.enqueue(order("job_1"));
  harness.restart();
  expect(await lesser.fetch()).toEqual([]);
  expect(await newer.fetch()).toEqual(["job_1"]);
});
