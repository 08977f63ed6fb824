import { describe, expect, test } from "bun:test";
import { SHARD_ANSWER_KEPT_MS, SHARD_TELLS_AFTER_MS } from "../../../schema/limits.ts";
import { cancelJobs } from "../../../worker/services/pool/cancel.ts";
import { PoolAgentProbe, PoolHarness, order } from "../../support/pool-harness.ts";
import { FOR_B, running, settled, setup, statusOf } from "../../support/sharded-pool.ts";

const SECOND_MS = 1_000;

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
