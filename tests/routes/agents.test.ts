import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { z } from "zod";
import { agentSchema, poolSchema } from "../../schema/contract/management.ts";
import type { AgentView } from "../../schema/contract/management.ts";
import { AgentClient, success } from "../support/agent-client.ts";
import { startBellhop } from "../support/bellhop.ts";
import type { Bellhop } from "../support/bellhop.ts";
import {
  call,
  createAgent,
  dataOf,
  heartbeatStatus,
  errorPathsOf,
  pageOf,
  problemOf,
} from "../support/management-api.ts";
import { createConnection } from "../support/management.ts";
import { refOf } from "../support/dispatcher-harness.ts";
import { enqueueJob } from "../support/dispatcher-object.ts";
import { query } from "../support/database.ts";

let bellhop: Bellhop;
beforeAll(async () => {
  bellhop = await startBellhop();
});
afterAll(() => bellhop.stop());

const agentOf = async (id: string): Promise<AgentView> =>
  dataOf(await call(bellhop, "GET", `/agents/${id}`), 200, agentSchema);

describe("agents", () => {
  test("a new agent comes with its key, and matches the contract before its first call", async () => {
    const { agent, apiKey } = await createAgent(bellhop, { name: " web-1 ", description: "rack 4", poolId: "eu" });
    expect(apiKey).toMatch(/^bh[A-Za-z0-9]{10}_[A-Za-z0-9]{43}$/u);
    expect(agent).toMatchObject({
      name: "web-1",
      description: "rack 4",
      poolId: "eu",
      status: "Offline",
      healthScore: 50,
      health: { heartbeatPoints: 0, successPoints: 50, finishedJobs: 0, succeededJobs: 0 },
      enabled: true,
      runningJobs: 0,
      lastHeartbeatAt: null,
      registration: null,
    });
    expect(agent.id).toMatch(/^agt_/u);
    expect(await agentOf(agent.id)).toEqual(agent);
  });

  test("an agent's key is shown once: no later response and no row contains it", async () => {
    const { agent, apiKey } = await createAgent(bellhop, { poolId: "secretive" });
    const secret = apiKey.slice(apiKey.indexOf("_") + 1);
    const answers = await Promise.all([
      (await call(bellhop, "GET", `/agents/${agent.id}`)).text(),
      (await call(bellhop, "GET", "/agents")).text(),
      (await call(bellhop, "GET", "/pools/secretive")).text(),
    ]);
    const rows = JSON.stringify([
      await query(bellhop, "select * from agents"),
      await query(bellhop, "select * from audit_log"),
    ]);
    expect([...answers, rows].filter((text) => text.includes(secret))).toEqual([]);
    const [row] = await query(bellhop, "select key_hash from agents where id = ?", [agent.id]);
    const hash = String(row?.["key_hash"]);
    expect(hash).toMatch(/^\$2[aby]\$/u);
    expect(answers.filter((text) => text.includes(hash))).toEqual([]);
  });

  test("a new agent with several problems gets all of them in one response, with their paths", async () => {
    const body = { name: " ", description: 7, poolId: "no spaces", apiKey: "mine" };
    expect(await errorPathsOf(await call(bellhop, "POST", "/agents", body))).toEqual([
      "apiKey",
      "description",
      "name",
      "poolId",
    ]);
    expect(await errorPathsOf(await call(bellhop, "POST", "/agents"))).toEqual(["name"]);
    expect(await errorPathsOf(await call(bellhop, "POST", "/agents", ["a list"]))).toEqual([""]);
  });

  test("the list of agents is paged, newest first", async () => {
    const made: string[] = [];
    for (let i = 0; i < 5; i += 1) made.unshift((await createAgent(bellhop, { name: `listed ${i}` })).agent.id);
    const first = await pageOf(await call(bellhop, "GET", "/agents?limit=3"), agentSchema);
    expect(first.items.map((agent) => agent.id)).toEqual(made.slice(0, 3));
    const second = await pageOf(await call(bellhop, "GET", `/agents?limit=2&cursor=${first.nextCursor}`), agentSchema);
    expect(second.items.map((agent) => agent.id)).toEqual(made.slice(3));
    const all = await pageOf(await call(bellhop, "GET", "/agents?limit=200"), agentSchema);
    expect(all.nextCursor).toBeNull();
  });

  test("the list of agents refuses an invalid limit or cursor", async () => {
    const paths: [string, string[]][] = [
      ["limit=0", ["limit"]],
      ["limit=201", ["limit"]],
      ["limit=many", ["limit"]],
      ["cursor=AAAA", ["cursor"]],
      ["cursor=%F0%9F%92%A5", ["cursor"]],
      [`cursor=${Buffer.from("con_018f0000-0000-7000-8000-000000000000").toString("base64url")}`, ["cursor"]],
    ];
    for (const [search, expected] of paths) {
      expect([search, await errorPathsOf(await call(bellhop, "GET", `/agents?${search}`))]).toEqual([search, expected]);
    }
  });

  test("a change affects only the fields that it names, and null clears a field", async () => {
    const { agent } = await createAgent(bellhop, { name: "before", description: "kept", poolId: "one" });
    const patch = async (body: object) =>
      dataOf(await call(bellhop, "PATCH", `/agents/${agent.id}`, body), 200, agentSchema);
    expect(await patch({ name: "after" })).toMatchObject({ name: "after", description: "kept", poolId: "one" });
    expect(await patch({ description: null, poolId: null })).toMatchObject({ description: null, poolId: null });
    expect(await patch({})).toMatchObject({ name: "after" });
    expect(
      await errorPathsOf(await call(bellhop, "PATCH", `/agents/${agent.id}`, { enabled: false, name: "" })),
    ).toEqual(["enabled", "name"]);
  });

  test("the pool knows a change when the request returns, and the sweeper has nothing left to do", async () => {
    const { agent } = await createAgent(bellhop, { name: "mover", poolId: "from" });
    const members = async (poolId: string) =>
      (await dataOf(await call(bellhop, "GET", `/pools/${poolId}`), 200, poolSchema)).members;
    expect(await members("from")).toMatchObject([
      { agentId: agent.id, name: "mover", enabled: true, status: "Offline" },
    ]);
    await call(bellhop, "POST", `/agents/${agent.id}/disable`);
    expect(await members("from")).toMatchObject([{ enabled: false }]);
    await call(bellhop, "POST", `/agents/${agent.id}/enable`);
    await call(bellhop, "PATCH", `/agents/${agent.id}`, { name: "moved" });
    expect(await members("from")).toMatchObject([{ enabled: true, name: "moved" }]);
    await createAgent(bellhop, { poolId: "from" });
    await call(bellhop, "PATCH", `/agents/${agent.id}`, { poolId: "to" });
    expect((await members("from")).map((member) => member.agentId)).not.toContain(agent.id);
    expect(await members("to")).toMatchObject([{ agentId: agent.id }]);
    expect(await query(bellhop, "select id from agents where epoch <> pushed_epoch")).toEqual([]);
  });

  test("an agent that holds a job cannot be moved to another pool; once the job has ended it can", async () => {
    const { agent, apiKey } = await createAgent(bellhop, { name: "busy", poolId: "busy" });
    const client = new AgentClient(bellhop, apiKey);
    await client.register();
    const connectionId = await createConnection(bellhop, { type: "script", poolId: "busy" });
    await enqueueJob(bellhop, "job_busy", { connectionId, poolObject: "pool:busy" });
    const [job] = (await client.poll()).jobs;
    if (job === undefined) throw new Error("the job was not delivered");
    const move = () => call(bellhop, "PATCH", `/agents/${agent.id}`, { poolId: "idle" });
    const problem = await problemOf(await move(), 409, "conflict");
    expect(problem.detail).toContain("Disable it, wait until it has finished");
    await call(bellhop, "POST", `/agents/${agent.id}/disable`);
    expect((await problemOf(await move(), 409, "conflict")).detail).toContain("pool. Wait until it has finished");
    await call(bellhop, "POST", `/agents/${agent.id}/enable`);
    expect(await query(bellhop, "select id from agents where epoch <> pushed_epoch")).toEqual([]);
    expect((await client.poll([refOf(job)])).cancelled).toEqual([]);
    expect(await client.report(success(job))).toEqual(["accepted"]);
    expect(await dataOf(await move(), 200, agentSchema)).toMatchObject({ poolId: "idle" });
    await client.register();
    expect(await client.poll()).toEqual({ jobs: [], cancelled: [] });
  });

  test("two people who change one agent at the same time both get what they asked for", async () => {
    const { agent } = await createAgent(bellhop, { poolId: "busy" });
    const answers = await Promise.all([
      call(bellhop, "POST", `/agents/${agent.id}/disable`),
      call(bellhop, "PATCH", `/agents/${agent.id}`, { name: "renamed concurrently" }),
      call(bellhop, "PATCH", `/agents/${agent.id}`, { description: "described concurrently" }),
    ]);
    expect(answers.map((response) => response.status)).toEqual([200, 200, 200]);
    expect(await agentOf(agent.id)).toMatchObject({
      enabled: false,
      name: "renamed concurrently",
      description: "described concurrently",
    });
    const pool = await dataOf(await call(bellhop, "GET", "/pools/busy"), 200, poolSchema);
    expect(pool.members).toMatchObject([{ enabled: false, name: "renamed concurrently" }]);
  });

  test("a registered agent shows what it reported, and is online", async () => {
    const { agent, apiKey } = await createAgent(bellhop, { name: "kept name", poolId: "live" });
    await new AgentClient(bellhop, apiKey).register();
    expect(await agentOf(agent.id)).toMatchObject({ name: "kept name", status: "Online", healthScore: 100 });
    expect((await agentOf(agent.id)).registration?.fingerprint).toBeString();
  });

  test("every operation on an unknown agent is 404 with a message that names the agent", async () => {
    const verbs: [string, string, object?][] = [
      ["GET", ""],
      ["PATCH", "", { name: "x" }],
      ["DELETE", ""],
      ["POST", "/enable"],
      ["POST", "/disable"],
      ["POST", "/regenerate-key"],
    ];
    for (const [method, suffix, body] of verbs) {
      const problem = await problemOf(await call(bellhop, method, `/agents/agt_none${suffix}`, body), 404, "not_found");
      expect(problem.detail).toContain("agent agt_none");
    }
  });
});

describe("a revocation takes effect with the agent's next call (invariant 8)", () => {
  test("a regenerated key: the old one is refused, the new one works", async () => {
    const { agent, apiKey } = await createAgent(bellhop, { poolId: "keys" });
    const old = new AgentClient(bellhop, apiKey);
    await old.register();
    expect(await heartbeatStatus(bellhop, old)).toBe(200);
    const keyAnswer = z.strictObject({ apiKey: z.string() });
    const next = await dataOf(await call(bellhop, "POST", `/agents/${agent.id}/regenerate-key`), 201, keyAnswer);
    expect(await heartbeatStatus(bellhop, old)).toBe(401);
    const shown = () => call(bellhop, "GET", `/agents/${agent.id}`).then((answer) => dataOf(answer, 200, agentSchema));
    expect(await shown()).toMatchObject({ status: "Offline", enabled: true });
    const renewed = new AgentClient(bellhop, next.apiKey);
    await renewed.register();
    expect(await heartbeatStatus(bellhop, renewed)).toBe(200);
    expect(await shown()).toMatchObject({ status: "Online" });
  });

  test("a disabled agent is no longer Online", async () => {
    const { agent, apiKey } = await createAgent(bellhop, { poolId: "off" });
    const client = new AgentClient(bellhop, apiKey);
    await client.register();
    const statusAfter = async (verb: string) =>
      (await dataOf(await call(bellhop, "POST", `/agents/${agent.id}/${verb}`), 200, agentSchema)).status;
    expect(await statusAfter("disable")).toBe("Offline");
    expect(await heartbeatStatus(bellhop, client)).toBe(200);
    expect(await statusAfter("enable")).toBe("Online");
  });

  test("a deleted agent's key is refused, and the agent is in no list", async () => {
    const { agent, apiKey } = await createAgent(bellhop, { poolId: "graves" });
    const client = new AgentClient(bellhop, apiKey);
    await client.register();
    const answer = await dataOf(
      await call(bellhop, "DELETE", `/agents/${agent.id}`),
      200,
      z.strictObject({ id: z.string() }),
    );
    expect(answer).toEqual({ id: agent.id });
    expect(await heartbeatStatus(bellhop, client)).toBe(401);
    await problemOf(await call(bellhop, "GET", `/agents/${agent.id}`), 404, "not_found");
    await problemOf(await call(bellhop, "DELETE", `/agents/${agent.id}`), 404, "not_found");
    await problemOf(await call(bellhop, "GET", "/pools/graves"), 404, "not_found");
  });

  test("the next tick completes a change that its writer left half-done: the pool matches libSQL", async () => {
    const { agent } = await createAgent(bellhop, { poolId: "torn" });
    await call(bellhop, "POST", `/agents/${agent.id}/disable`);
    // The state after a writer died before its pool received the change.
    await query(bellhop, "update agents set enabled = 1, epoch = epoch + 2 where id = ?", [agent.id]);
    const enabled = async () =>
      (await dataOf(await call(bellhop, "GET", "/pools/torn"), 200, poolSchema)).members.map(
        (member) => member.enabled,
      );
    expect(await enabled()).toEqual([false]);
    await bellhop.worker.tick();
    expect(await enabled()).toEqual([true]);
    expect(await query(bellhop, "select id from agents where epoch <> pushed_epoch")).toEqual([]);
  });
});
