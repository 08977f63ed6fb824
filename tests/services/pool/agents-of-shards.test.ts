import { describe, expect, test } from "bun:test";
import { SHARD_TELLS_AFTER_MS } from "../../../schema/limits.ts";
import { configureAgent } from "../../../worker/services/pool/configure-agent.ts";
import { goOffline } from "../../../worker/services/pool/offline.ts";
import { jobStatesOf } from "../../../worker/services/pool/views.ts";
import { PoolAgentProbe, order, refOf } from "../../support/pool-harness.ts";
import { FOR_B, running, settled, statusOf } from "../../support/sharded-pool.ts";

const SECOND_MS = 1_000;

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

  test("that has polled before the pool heard that it was woken is still one that polls", async () => {
    const { harness, b, shard } = await settled();
    b.register({ pollIntervalSeconds: 60 });
    await b.poll();
    shard.sockets.add("b");
    const { promise, resolve } = Promise.withResolvers<void>();
    harness.wordsGate = promise;
    harness.enqueue(order("job_1", FOR_B));
    harness.now += 10;
    const [job] = (await b.poll()).jobs;
    if (job === undefined) throw new Error("the job was not delivered");
    resolve();
    await harness.settled();
    await b.report(refOf(job));
    await b.heartbeat();
    await harness.advance(20 * SECOND_MS);
    harness.enqueue(order("job_2", FOR_B));
    expect(jobStatesOf(harness.pool, ["job_2"])[0]).toMatchObject({ status: "assigned" });
  });

  test("that was gone for so long that its job went to another hears with its next call that it is to stop", async () => {
    const { harness, b, ref } = await running({ effect: "idempotent" });
    // Nothing passes between the two: the agent seems to be gone, and goes on.
    harness.wordsLost = true;
    await harness.advance(95 * SECOND_MS);
    expect(statusOf(harness, "b")).toBe("Offline");
    harness.wordsLost = false;
    expect((await b.poll([ref])).cancelled).toEqual([]);
    await harness.settled();
    expect((await b.poll([ref])).cancelled).toEqual([ref]);
  });

  test("that cannot be deleted, because its shard does not answer, keeps its jobs", async () => {
    const { harness, ref } = await running();
    harness.wordsLost = true;
    const removal = { agentId: "b", name: "b", epoch: 2, enabled: true, removed: true };
    await expect(configureAgent(harness.pool, removal)).rejects.toThrow("does not answer");
    await harness.advance(SECOND_MS);
    expect(harness.end(ref.jobId)).toBeUndefined();
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
