import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { AgentClient, success } from "../support/agent-client.ts";
import { startBellhop } from "../support/bellhop.ts";
import type { Bellhop } from "../support/bellhop.ts";
import { createAgent, createConnection } from "../support/management.ts";
import { refOf } from "../support/dispatcher-harness.ts";
import { enqueueJob, dispatcherObject } from "../support/dispatcher-object.ts";
import { WakeSocketProbe } from "../support/wake-socket.ts";
import { testInFull } from "../support/in-full.ts";

/** Wake sockets in workerd, hibernation included. Every test has its own pool. */
let bellhop: Bellhop;
let pools = 0;
let jobs = 0;

beforeAll(async () => {
  bellhop = await startBellhop();
});
afterAll(async () => {
  await bellhop?.stop();
});

async function setup(changes: Record<string, unknown> = {}) {
  const poolId = `w-${++pools}`;
  const created = await createAgent(bellhop, { poolId });
  const agent = new AgentClient(bellhop, created.apiKey);
  await agent.register(changes);
  const connectionId = await createConnection(bellhop, { type: "script", poolId });
  const enqueue = async () => {
    const jobId = `wake_${++jobs}`;
    await enqueueJob(bellhop, jobId, { connectionId, poolObject: `pool:${poolId}` });
    return jobId;
  };
  return { poolId, agentId: created.agent.id, agent, enqueue };
}

describe("an agent's wake socket", () => {
  test("sends poll for a reserved job, and for a running one that is to be cancelled", async () => {
    const { agent, enqueue, poolId } = await setup();
    const socket = await WakeSocketProbe.open(agent);
    const jobId = await enqueue();
    await socket.wakeCount(1);
    const [job] = (await agent.poll()).jobs;
    expect(job?.id).toBe(jobId);
    await (await dispatcherObject(bellhop, `pool:${poolId}`)).cancel([jobId]);
    await socket.wakeCount(2);
    if (job === undefined) throw new Error("there is no job");
    expect((await agent.poll([refOf(job)])).cancelled).toEqual([refOf(job)]);
    expect(new Set(socket.messages)).toEqual(new Set(["poll"]));
    await agent.report({ ...success(job), status: "cancelled" });
    socket.close();
  });

  test("sends poll when the agent's own result makes room for the next job", async () => {
    const { agent, enqueue } = await setup({ maxConcurrentJobs: 1 });
    const socket = await WakeSocketProbe.open(agent);
    await enqueue();
    await enqueue();
    await socket.wakeCount(1);
    const [job] = (await agent.poll([], 1)).jobs;
    if (job === undefined) throw new Error("there is no job");
    const before = socket.messages.length;
    expect(await agent.report(success(job))).toEqual(["accepted"]);
    await socket.wakeCount(before + 1);
    expect((await agent.poll([], 1)).jobs).toHaveLength(1);
    socket.close();
  });

  test("answers ping with pong, and closes on any other message", async () => {
    const { agent } = await setup();
    const socket = await WakeSocketProbe.open(agent);
    socket.send("ping");
    await socket.wakeCount(1);
    expect(socket.messages).toEqual(["pong"]);
    socket.send("x".repeat(100));
    await socket.end();
  });

  testInFull("still works after its object was evicted from memory", async () => {
    const { agent, enqueue, poolId } = await setup();
    const socket = await WakeSocketProbe.open(agent);
    await bellhop.worker.miniflare.unsafeEvictDurableObject("", "Dispatcher", { name: `pool:${poolId}` });
    await enqueue();
    await socket.wakeCount(1);
    expect((await agent.poll()).jobs).toHaveLength(1);
    socket.close();
  });

  test("is replaced by a newer one, and closes when another process of the agent registers", async () => {
    const { agent } = await setup();
    const first = await WakeSocketProbe.open(agent);
    const second = await WakeSocketProbe.open(agent);
    await first.end();
    const newer = new AgentClient(bellhop, agent.key);
    await newer.register();
    await second.end();
    await expect(WakeSocketProbe.open(agent)).rejects.toThrow("refused");
  });

  test("closes when the key that opened it is replaced", async () => {
    const { agent, agentId } = await setup();
    const socket = await WakeSocketProbe.open(agent);
    await bellhop.api("POST", `/api/v1/automation/agents/${agentId}/regenerate-key`);
    await socket.end();
    await expect(WakeSocketProbe.open(agent)).rejects.toThrow("refused");
  });

  test.each([
    ["without a key", { Authorization: "" }, 401, "unauthorized"],
    ["without a session", { "Bellhop-Session": "" }, 409, "register_again"],
    ["without an upgrade", { Upgrade: "" }, 400, "invalid_request"],
  ])("is refused %s, with a problem that says what is wrong", async (_how, headers, status, code) => {
    const { agent } = await setup();
    const answer = await agent.send("GET", "/wake", undefined, { Upgrade: "websocket", ...headers });
    expect([answer.status, await answer.json()]).toMatchObject([status, { code }]);
  });
});
