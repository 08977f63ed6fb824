import { OrderingRuns } from "../../support/ordering-runs.ts";
import { beforeEach, describe, expect, test } from "bun:test";
import { viewPool } from "../../../worker/actors/dispatcher/views.ts";
import { POOL, AgentProbe, DispatcherHarness, connection, order } from "../../support/dispatcher-harness.ts";

/** Features that new agents register, and that some jobs need. */
const NEW = { features: ["namedValues" as const] };
let harness: DispatcherHarness;
let old: AgentProbe;
let fresh: AgentProbe;
beforeEach(() => {
  harness = new DispatcherHarness();
  old = new AgentProbe(harness, "a-old");
  fresh = new AgentProbe(harness, "b-new");
});

const why = () => viewPool(harness.state, "web", harness.now).waiting.map(({ jobId, code }) => [jobId, code]);

describe("a job that needs a feature", () => {
  test("goes to the agent that has it, and other jobs go to old agents as well", async () => {
    old.register();
    fresh.register(NEW);
    harness.enqueue(order("job_1", NEW), order("job_2"), order("job_3", NEW));
    expect(await old.fetch()).toEqual(["job_2"]);
    expect(await fresh.fetch()).toEqual(["job_1", "job_3"]);
  });

  test("waits with that reason while all agents are too old, and delays no other job", async () => {
    old.register();
    harness.enqueue(order("job_1", NEW), order("job_2"));
    expect(await old.fetch()).toEqual(["job_2"]);
    expect(why()).toEqual([["job_1", "no_feature"]]);
  });

  test("waits for another reason than jobs that need no feature", async () => {
    old.register();
    await old.poll([], 0);
    harness.enqueue(order("job_1", NEW), order("job_2"));
    expect(why()).toEqual([
      ["job_1", "no_feature"],
      ["job_2", "full"],
    ]);
  });

  test("is reserved for an agent as soon as the agent registers with the feature", async () => {
    old.register();
    harness.enqueue(order("job_1", NEW), order("job_2", { ...NEW, pinnedAgentId: "a-old", connectionId: "con_a" }));
    harness.connections.set("con_a", connection("con_a", { target: { poolObject: POOL, pinnedAgentId: "a-old" } }));
    expect(await old.fetch()).toEqual([]);
    expect(why()).toEqual([
      ["job_1", "no_feature"],
      ["job_2", "no_feature"],
    ]);
    old.instanceId = "instance-2";
    old.register(NEW);
    expect(why()).toEqual([
      ["job_1", "next_poll"],
      ["job_2", "next_poll"],
    ]);
    expect(await old.fetch()).toEqual(["job_1", "job_2"]);
  });

  test("is not examined again when an old agent asks for jobs", async () => {
    old.register();
    harness.enqueue(order("job_1", NEW));
    const { queue } = harness.state.jobs;
    expect(queue.next).toBeUndefined();
    queue.reopenFor("a-old", { credentials: new Map(), abilities: {} });
    expect(queue.next).toBeUndefined();
    queue.reopenFor("a-old", { credentials: new Map(), abilities: NEW });
    expect(queue.next?.job.facts.jobId).toBe("job_1");
  });

  test("goes to an agent with the credential and the feature, past agents with only one of them", async () => {
    harness.connections.set("con_1", connection("con_1", { type: "custom", hasCredential: true, isDelivered: true }));
    const bare = new AgentProbe(harness, "c-bare");
    old.register();
    for (const agent of [fresh, bare]) agent.register(NEW);
    await old.heartbeat(["con_1"]);
    harness.enqueue(order("job_1", NEW));
    for (const agent of [old, fresh, bare]) expect(await agent.fetch()).toEqual([]);
    expect(why()).toEqual([["job_1", "no_credential"]]);
    await fresh.heartbeat(["con_1"]);
    expect(await fresh.fetch()).toEqual(["job_1"]);
  });

  test("that is reserved for an agent goes to another agent when the first registers without the feature", async () => {
    fresh.register(NEW);
    harness.enqueue(order("job_1", NEW));
    expect(why()).toEqual([["job_1", "next_poll"]]);
    fresh.register();
    expect(why()).toEqual([["job_1", "no_feature"]]);
    old.register(NEW);
    expect(await fresh.fetch()).toEqual([]);
    expect(await old.fetch()).toEqual(["job_1"]);
  });

  test("that was lost goes to the next agent that has the feature, or waits for one", async () => {
    old.register();
    fresh.register(NEW);
    harness.enqueue(order("job_1", { ...NEW, effect: "read" }));
    expect(await fresh.fetch()).toEqual(["job_1"]);
    harness.dispatcher.offline(fresh.caller);
    await old.live(100);
    expect(why()).toEqual([["job_1", "no_feature"]]);
    old.register(NEW);
    expect(await old.fetch()).toEqual(["job_1"]);
  });

  test("still needs the feature in the pool that its connection was moved to", async () => {
    const db = new DispatcherHarness();
    const run = new OrderingRuns(new Map(Object.entries({ [POOL]: harness, "pool:db": db })));
    const moved = connection("con_1", { target: { poolObject: "pool:db", pinnedAgentId: null } });
    run.order(order("job_1", NEW));
    for (const { connections } of [harness, db]) connections.set("con_1", moved);
    await harness.advance(5_000);
    const [there, freshThere] = [new AgentProbe(db, "c-old"), new AgentProbe(db, "d-new")];
    there.register();
    expect(await there.fetch()).toEqual([]);
    freshThere.register(NEW);
    expect(await freshThere.fetch()).toEqual(["job_1"]);
  });
});

describe("after a restart of the dispatcher", () => {
  test("the features of its agents and jobs are known", async () => {
    old.register();
    fresh.register(NEW);
    harness.enqueue(order("job_1", NEW));
    harness.restart();
    expect(await old.fetch()).toEqual([]);
    expect(await fresh.fetch()).toEqual(["job_1"]);
  });

  test("an agent whose registration an older version stored has no features, and gets all other jobs", async () => {
    old.register(NEW);
    harness.database.exec("UPDATE agents SET value = json_remove(value, '$.registration.features')");
    harness.restart();
    harness.enqueue(order("job_1", NEW), order("job_2"));
    expect(await old.fetch()).toEqual(["job_2"]);
    expect(why()).toEqual([["job_1", "no_feature"]]);
  });
});

test("an agent is woken for a job that waited for its new features", async () => {
  fresh.register();
  harness.sockets.set("b-new", harness.now);
  harness.enqueue(order("job_1", NEW));
  expect(await fresh.fetch()).toEqual([]);
  fresh.register(NEW);
  await harness.settled();
  expect(harness.woken).toEqual(["b-new"]);
  expect(await fresh.fetch()).toEqual(["job_1"]);
});
