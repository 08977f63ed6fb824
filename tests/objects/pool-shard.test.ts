import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { z } from "zod";
import { AgentClient, success } from "../support/agent-client.ts";
import { startBellhop } from "../support/bellhop.ts";
import type { Bellhop } from "../support/bellhop.ts";
import { eventually } from "../support/eventually.ts";
import { createAgent, createConnection } from "../support/management.ts";
import { refOf } from "../support/pool-harness.ts";
import { enqueueJob, poolObject } from "../support/pool-object.ts";
import { WakeSocketProbe } from "../support/wake-socket.ts";

/** Shards in workerd: the first agent of each pool calls its Pool, every further one a shard of its own. */
let bellhop: Bellhop;
let pools = 0;
let jobs = 0;

beforeAll(async () => {
  bellhop = await startBellhop({ bindings: { AGENTS_PER_OBJECT: "1" } });
});
afterAll(async () => {
  await bellhop?.stop();
});

async function setup() {
  const poolId = `s-${++pools}`;
  const first = new AgentClient(bellhop, (await createAgent(bellhop, { poolId })).apiKey);
  await first.register();
  const created = await createAgent(bellhop, { poolId });
  const agent = new AgentClient(bellhop, created.apiKey);
  await agent.register();
  const agentId = created.agent.id;
  const connectionId = await createConnection(bellhop, { type: "script", agentId });
  const enqueue = async () => {
    const jobId = `shard_${++jobs}`;
    await enqueueJob(bellhop, jobId, { connectionId, poolObject: `pool:${poolId}`, pinnedAgentId: agentId });
    return jobId;
  };
  const evict = (name: string) =>
    bellhop.worker.miniflare.unsafeEvictDurableObject("", name === "" ? "Pool" : "PoolShard", {
      name: `pool:${poolId}${name}`,
    });
  return { poolId, agentId, agent, enqueue, evict };
}

describe("an agent that calls a shard", () => {
  test("is woken for its jobs, runs them, and is told of a cancel", async () => {
    const { agent, enqueue, poolId } = await setup();
    const socket = await WakeSocketProbe.open(agent);
    expect((await agent.poll()).jobs).toEqual([]);
    const jobId = await enqueue();
    await socket.toldTimes(1);
    const [job] = (await agent.poll()).jobs;
    if (job === undefined) throw new Error("there is no job");
    expect(job.id).toBe(jobId);
    expect((await agent.poll([refOf(job)])).cancelled).toEqual([]);
    const before = socket.told.length;
    await (await poolObject(bellhop, `pool:${poolId}`)).cancel(`pool:${poolId}`, [jobId]);
    await socket.toldTimes(before + 1);
    expect((await agent.poll([refOf(job)])).cancelled).toEqual([refOf(job)]);
    expect(await agent.report({ ...success(job), status: "cancelled" })).toEqual(["accepted"]);
    socket.close();
  });

  test("gets its jobs by polling alone, whichever of the objects starts anew in between", async () => {
    const { agent, enqueue, evict } = await setup();
    for (const evicted of ["", "/1"]) {
      expect((await agent.poll()).jobs).toEqual([]);
      await evict(evicted);
      await enqueue();
      const [job] = (await agent.poll()).jobs;
      if (job === undefined) throw new Error("there is no job");
      expect(await agent.report(success(job))).toEqual(["accepted"]);
    }
  });

  test("keeps its socket when its shard is put out of memory", async () => {
    const { agent, enqueue, evict } = await setup();
    const socket = await WakeSocketProbe.open(agent);
    await evict("/1");
    await enqueue();
    await socket.toldTimes(1);
    expect((await agent.poll()).jobs).toHaveLength(1);
    socket.close();
  });

  test("shows when it called last, though its calls end at the shard", async () => {
    const { agent, agentId } = await setup();
    const seen = async () => {
      const answer = await bellhop.api("GET", `/api/v1/automation/agents/${agentId}`);
      const { data } = z.object({ data: z.object({ lastHeartbeatAt: z.string() }) }).parse(await answer.json());
      return Date.parse(data.lastHeartbeatAt);
    };
    await agent.heartbeat();
    const before = await seen();
    await eventually("a heartbeat that the shard answered to be seen", async () => {
      await agent.heartbeat();
      return (await seen()) > before;
    });
  });

  test("is refused once its key is another's, and its socket ends", async () => {
    const { agent, agentId } = await setup();
    const socket = await WakeSocketProbe.open(agent);
    await agent.poll();
    await bellhop.api("POST", `/api/v1/automation/agents/${agentId}/regenerate-key`);
    await socket.end();
    expect((await agent.send("GET", "/jobs?capacity=1")).status).toBe(401);
    await expect(WakeSocketProbe.open(agent)).rejects.toThrow("refused");
  });
});
