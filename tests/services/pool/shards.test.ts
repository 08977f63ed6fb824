import { describe, expect, test } from "bun:test";
import { SHARD_ANSWER_KEPT_MS, SHARD_TELLS_AFTER_MS } from "../../../schema/limits.ts";
import { cancelJobs } from "../../../worker/services/pool/cancel.ts";
import { configureAgent } from "../../../worker/services/pool/configure-agent.ts";
import { goOffline } from "../../../worker/services/pool/offline.ts";
import { presenceOf } from "../../../worker/services/pool/views.ts";
import { POOL, PoolAgentProbe, PoolHarness, connection, order, refOf } from "../../support/pool-harness.ts";

const SECOND_MS = 1_000;

const FOR_B = { connectionId: "con_b", pinnedAgentId: "b" };

/** A Pool that serves one agent itself, "a"; "b" and "c" call shards of their own. */
async function setup() {
  const harness = new PoolHarness();
  harness.agentsPerObject = 1;
  harness.connections.set("con_b", { ...connection("con_b"), target: { poolObject: POOL, pinnedAgentId: "b" } });
  harness.restart();
  const [a, b, c] = ["a", "b", "c"].map((id) => new PoolAgentProbe(harness, id));
  if (a === undefined || b === undefined || c === undefined) throw new Error("unreachable");
  for (const agent of [a, b, c]) agent.register();
  const shard = harness.shard(b.shard ?? "");
  return { harness, a, b, c, shard };
}

/** "b" has asked once, and would be told the same again. */
async function settled() {
  const all = await setup();
  await all.b.poll();
  await all.b.heartbeat();
  await all.harness.settled();
  return all;
}

/** "b" runs a job, and nothing has changed since the Pool heard of it. */
async function running(changes: Parameters<typeof order>[1] = {}) {
  const all = await setup();
  all.harness.enqueue(order("job_1", { ...FOR_B, ...changes }));
  const [job] = (await all.b.poll()).jobs;
  if (job === undefined) throw new Error("the job was not delivered");
  const ref = refOf(job);
  await all.b.poll([ref]);
  await all.b.heartbeat([], [ref]);
  await all.harness.settled();
  return { ...all, ref };
}

function statusOf(harness: PoolHarness, agentId: string) {
  return presenceOf(harness.pool, [agentId])[0]?.status;
}

describe("where a large pool's agents call", () => {
  test("is the pool itself for the first, and a shard of so many for further ones, whoever registers again", async () => {
    const harness = new PoolHarness();
    harness.agentsPerObject = 2;
    harness.restart();
    const agents = ["a", "b", "c", "d", "e"].map((id) => new PoolAgentProbe(harness, id));
    const shards = () =>
      agents.map((agent) => {
        agent.register();
        return agent.shard;
      });
    const first = shards();
    expect(first).toEqual([null, null, "pool:web/1", "pool:web/1", "pool:web/2"]);
    harness.restart();
    expect(shards()).toEqual(first);
  });
});

describe("a shard", () => {
  test("answers what was asked before by itself, and the pool knows all the same who lives", async () => {
    const { harness, b, shard } = await settled();
    const asked = { ...shard.asked };
    // Every 5 s a poll and every 30 s a heartbeat, for as long as answers are kept.
    for (let second = 0; second < SHARD_ANSWER_KEPT_MS / SECOND_MS; second += 5) {
      await b.poll();
      if (second % 30 === 0) await b.heartbeat();
      await harness.advance(5 * SECOND_MS);
    }
    expect(shard.asked.poll).toBe(asked.poll);
    expect(shard.asked.heartbeat).toBe(asked.heartbeat);
    expect(statusOf(harness, "b")).toBe("Online");
    expect(statusOf(harness, "a")).toBe("Offline");
    harness.enqueue(order("job_1"));
    expect(await b.fetch()).toEqual(["job_1"]);
  });

  test("asks the pool again after a while, and when it was put out of memory", async () => {
    const { harness, b, shard } = await settled();
    harness.now += SHARD_ANSWER_KEPT_MS;
    await b.poll();
    expect(shard.asked.poll).toBe(2);
    shard.restart();
    await b.poll();
    expect(shard.asked.poll).toBe(3);
  });

  test("asks the pool when the agent asks for something else", async () => {
    const { b, shard } = await settled();
    await b.poll([], 4);
    await b.heartbeat(["con_1"]);
    expect(shard.asked).toMatchObject({ poll: 2, heartbeat: 2 });
    b.epoch += 1;
    await b.poll([], 4);
    expect(shard.asked.poll).toBe(3);
  });

  test("is told of a job that is kept for its agent, and tells the agent on its socket", async () => {
    const { harness, b, shard } = await settled();
    shard.sockets.add("b");
    harness.enqueue(order("job_1", FOR_B));
    await harness.settled();
    expect(harness.woken).toEqual(["b"]);
    expect(await b.fetch()).toEqual(["job_1"]);
  });

  test("does not keep an answer that was on its way when the pool had something new", async () => {
    const { harness, b, shard } = await setup();
    const { promise, resolve } = Promise.withResolvers<void>();
    shard.gate = promise;
    const idle = b.poll();
    const beat = b.heartbeat();
    await harness.settled();
    harness.enqueue(order("job_1", FOR_B));
    await harness.settled();
    resolve();
    expect((await idle).jobs).toEqual([]);
    await beat;
    expect(await b.fetch()).toEqual(["job_1"]);
  });

  test("hears within seconds of what the pool could not tell it", async () => {
    const { harness, b, ref } = await running();
    harness.wordsLost = true;
    await cancelJobs(harness.pool, ["job_1"]);
    harness.enqueue(order("job_2", FOR_B));
    await harness.settled();
    harness.wordsLost = false;
    expect(await b.poll([ref])).toEqual({ jobs: [], cancelled: [] });
    await harness.advance(SHARD_TELLS_AFTER_MS);
    await harness.settled();
    const { jobs, cancelled } = await b.poll([ref]);
    expect(jobs.map(({ id }) => id)).toEqual(["job_2"]);
    expect(cancelled).toEqual([ref]);
  });

  test("brings a cancel with the agent's next call, whichever that is", async () => {
    for (const call of ["poll", "heartbeat"] as const) {
      const { harness, b, ref } = await running();
      await cancelJobs(harness.pool, ["job_1"]);
      await harness.settled();
      const answer = call === "poll" ? await b.poll([ref]) : await b.heartbeat([], [ref]);
      expect(answer).toMatchObject({ cancelled: [ref] });
    }
  });

  test("tells a job that has run out of time to stop", async () => {
    const { harness, b, ref } = await running({ timeoutSeconds: 5 });
    for (let second = 0; second < 300 && harness.end("job_1") === undefined; second += 5) {
      await b.heartbeat([], [ref]);
      await b.poll([ref]);
      await harness.advance(5 * SECOND_MS);
    }
    expect(harness.end("job_1")?.status).toBe("timed_out");
    expect((await b.poll([ref])).cancelled).toEqual([ref]);
  });

  test("does not take a silent database for having nothing to do", async () => {
    const { harness, b } = await settled();
    harness.databaseDown = true;
    harness.enqueue(order("job_1", FOR_B));
    await harness.settled();
    expect(await b.fetch()).toEqual([]);
    harness.databaseDown = false;
    expect(await b.fetch()).toEqual(["job_1"]);
  });

  test("whose pool does not answer fails the call, and the next one is answered", async () => {
    const { b, shard } = await setup();
    shard.cutOff = true;
    await expect(b.poll()).rejects.toThrow("does not answer");
    shard.cutOff = false;
    expect(await b.poll()).toEqual({ jobs: [], cancelled: [] });
  });
});

describe("an agent of a shard", () => {
  test("that polls no more gets nothing, though its heartbeats go on", async () => {
    const { harness, b, c } = await settled();
    for (let second = 0; second < 60; second += 5) {
      await b.heartbeat();
      await c.poll();
      if (second % 30 === 0) await c.heartbeat();
      await harness.advance(5 * SECOND_MS);
    }
    harness.enqueue(order("job_1"));
    expect(statusOf(harness, "b")).toBe("Online");
    expect(await c.fetch()).toEqual(["job_1"]);
  });

  test("is passed over when it was woken and does not come", async () => {
    const { harness, b, c, shard } = await settled();
    shard.sockets.add("b");
    for (const agent of [b, c]) await agent.heartbeat(["con_1"]);
    harness.enqueue(order("job_1"));
    await harness.settled();
    for (let second = 0; second < 20; second += 5) {
      await c.poll([], 0);
      await harness.advance(5 * SECOND_MS);
    }
    expect(await c.fetch()).toEqual(["job_1"]);
  });

  test("that was disabled or lost its key is refused with its next call, and its socket ends", async () => {
    const { harness, b, shard } = await settled();
    shard.sockets.add("b");
    const settings = { agentId: "b", name: "b", epoch: 2, enabled: false, removed: false };
    await configureAgent(harness.pool, settings);
    expect(shard.sockets.size).toBe(0);
    expect(await b.tryPoll()).toEqual({ refused: "unauthorized" });
    b.epoch = 2;
    expect(await b.heartbeat()).toMatchObject({ enabled: false });
  });

  test("cannot be configured while its shard is not told of it; the next try does it", async () => {
    const { harness, b, shard } = await settled();
    const settings = { agentId: "b", name: "b", epoch: 2, enabled: false, removed: false };
    harness.wordsLost = true;
    await expect(configureAgent(harness.pool, settings)).rejects.toThrow("does not answer");
    harness.wordsLost = false;
    shard.sockets.add("b");
    await configureAgent(harness.pool, settings);
    expect(shard.sockets.size).toBe(0);
    expect(await b.tryPoll()).toEqual({ refused: "unauthorized" });
  });

  test("whose other process registers later is refused", async () => {
    const { harness, b, shard } = await settled();
    shard.sockets.add("b");
    const later = new PoolAgentProbe(harness, "b");
    later.instanceId = "instance-2";
    later.register();
    await harness.settled();
    expect(shard.sockets.size).toBe(0);
    expect(await b.tryPoll()).toEqual({ refused: "superseded" });
    expect(await later.poll()).toEqual({ jobs: [], cancelled: [] });
  });

  test("that said goodbye is not brought back by what its shard heard before", async () => {
    const { harness, b } = await settled();
    await b.heartbeat();
    await harness.advance(SECOND_MS);
    await b.poll();
    await b.heartbeat();
    goOffline(harness.pool, b.caller);
    await harness.advance(SHARD_TELLS_AFTER_MS);
    await harness.settled();
    expect(statusOf(harness, "b")).toBe("Offline");
  });

  test("that falls silent is offline after 90 s, and what it held is lost", async () => {
    const { harness, ref } = await running();
    await harness.advance(100 * SECOND_MS);
    expect(statusOf(harness, "b")).toBe("Offline");
    expect(harness.end(ref.jobId)?.status).toBe("failed");
  });
});
