import { beforeEach, expect, test } from "bun:test";
import { AgentProbe, connection, order, refOf } from "../../support/dispatcher-harness.ts";
import type { DispatcherHarness } from "../../support/dispatcher-harness.ts";
import { withAgent } from "../../support/dispatcher-setups.ts";

const SECOND_MS = 1_000;

let harness: DispatcherHarness;
let agent: AgentProbe;

beforeEach(() => {
  ({ harness, agent } = withAgent());
});

test("an agent that reports more credentials than a row can have gets those that fit", () => {
  const long = "c".repeat(60);
  const credentials = Array.from({ length: 10_000 }, (_, n) => ({
    connectionId: `${long}${n}`,
    target: "t".repeat(64),
  }));
  agent.heartbeat(credentials);
  const row = harness.database.query<{ size: number }, []>("SELECT length(value) AS size FROM agents").get();
  expect(row?.size).toBeLessThan(2_000_000);
  expect(harness.state.agents.get("a")?.credentials.size).toBeGreaterThan(5_000);
});

test("an agent that repeatedly takes a job and shuts down leaves the job to others and fills no storage", async () => {
  harness.enqueue(order("job_1"));
  for (let n = 0; n < 60; n += 1) {
    agent.instanceId = `instance-${n}`;
    agent.register();
    expect(await agent.fetch()).toEqual(["job_1"]);
    agent.heartbeat([], [], { draining: true });
  }
  expect(harness.state.jobs.get("job_1")?.job.facts.assignments).toHaveLength(20);
  const other = new AgentProbe(harness, "z-other");
  other.register();
  agent.instanceId = "instance-60";
  agent.register();
  expect(await other.fetch()).toEqual(["job_1"]);
});

test("an agent that shuts down keeps the job that it has started", async () => {
  harness.enqueue(order("job_1"));
  const [ref] = (await agent.poll()).jobs.map(refOf);
  if (ref === undefined) throw new Error("no job was delivered");
  agent.heartbeat([], [ref]);
  agent.heartbeat([], [], { draining: true });
  expect(harness.state.jobs.get("job_1")?.job.stage).toMatchObject({ type: "delivered", lease: ref.lease });
});

test("an interrupted result does not requeue a job whose result is being reported", async () => {
  harness.enqueue(order("job_1", { effect: "idempotent" }));
  const [ref] = (await agent.poll()).jobs.map(refOf);
  if (ref === undefined) throw new Error("no job was delivered");
  const { promise, resolve } = Promise.withResolvers<void>();
  harness.gate = promise;
  const first = agent.report(ref);
  const second = agent.report(ref, { status: "interrupted" });
  resolve();
  expect(await Promise.all([first, second])).toEqual(["accepted", "duplicate"]);
  expect(harness.ends).toHaveLength(1);
  expect(harness.state.jobs.get("job_1")).toBeUndefined();
});

test("an agent that is disabled while it polls gets no job, not even one that it had before", async () => {
  harness.enqueue(order("job_1"));
  await agent.poll();
  const polling = agent.poll([]);
  harness.dispatcher.configureAgent({ agentId: "a", name: "a", epoch: 1, enabled: true, removed: false });
  agent.epoch = 2;
  harness.dispatcher.configureAgent({ agentId: "a", name: "a", epoch: 2, enabled: false, removed: false });
  expect(await polling.catch(() => ({ jobs: [] }))).toMatchObject({ jobs: [] });
});

test("an agent gets a cancel for overdue and lost jobs", async () => {
  harness.sockets.set("a", harness.now);
  harness.enqueue(order("job_1", { timeoutSeconds: 5 }));
  await agent.poll();
  for (let second = 0; second < 130; second += 5) {
    harness.sockets.set("a", harness.now);
    agent.heartbeat(
      [],
      harness.state.jobs.heldBy("a").map(({ live, stage }) => ({ jobId: live.job.facts.jobId, lease: stage.lease })),
    );
    await harness.advance(5 * SECOND_MS);
  }
  expect(harness.end("job_1")).toMatchObject({ status: "timed_out" });
  expect(harness.woken.length).toBeGreaterThan(1);
});

test("while libSQL is silent, jobs that only an offline agent could run cost other agents' polls nothing", async () => {
  const away = new AgentProbe(harness, "away");
  away.register();
  const ids = Array.from({ length: 500 }, (_, n) => `con_${n}`);
  for (const id of ids) harness.connections.set(id, connection(id));
  away.heartbeat(ids);
  harness.dispatcher.offline(away.caller);
  harness.databaseDown = true;
  harness.enqueue(...ids.map((id, n) => order(`job_${n}`, { connectionId: id })));
  let looks = 0;
  const { jobs } = harness.state;
  const block = jobs.queue.block.bind(jobs.queue);
  jobs.queue.block = (job) => {
    looks += 1;
    block(job);
  };
  await agent.poll();
  expect(looks).toBe(0);
});

test("a run that does not answer does not delay the ends of other runs' jobs", async () => {
  harness.run = {
    take: async ({ jobId }) => (jobId === "job_bad" ? Promise.reject(new Error("it does not answer")) : undefined),
  };
  harness.enqueue(order("job_bad"), order("job_good", { queuedAt: harness.now + 1 }));
  harness.dispatcher.cancel(["job_bad"]);
  await harness.settled();
  await harness.advance(40 * SECOND_MS);
  harness.dispatcher.cancel(["job_good"]);
  await harness.settled();
  expect(harness.ends.map(({ facts }) => facts.jobId)).toEqual(["job_good"]);
});

test("the socket of a silent agent is closed", async () => {
  harness.sockets.set("a", harness.now);
  await harness.advance(700 * SECOND_MS);
  expect(harness.sockets.size).toBe(0);
});

test("an agent that lists thousands of invalid leases costs one read of storage", () => {
  const held = Array.from({ length: 5_000 }, (_, n) => ({ jobId: `job_${n}`, lease: "none" }));
  const { prototype } = Object.getPrototypeOf(harness.database).constructor;
  const { query } = prototype;
  let reads = 0;
  prototype.query = function counted(this: unknown, ...args: unknown[]) {
    reads += 1;
    return Reflect.apply(query, this, args);
  };
  try {
    const answer = agent.heartbeat([], held);
    expect("cancelled" in answer ? answer.cancelled.length : 0).toBe(5_000);
  } finally {
    prototype.query = query;
  }
  expect(reads).toBeLessThan(5);
});
