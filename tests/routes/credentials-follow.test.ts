import { describe, expect, test } from "bun:test";
import { z } from "zod";
import { fingerprintOf, newKeyPair, publicPartOf } from "../../agent/vault/crypto.ts";
import { success } from "../support/agent-client.ts";
import { CHAT, startForCredentials, failed, newPool, sealedFor, statusesSchema } from "../support/credentials.ts";
import { eventually } from "../support/eventually.ts";
import { call, createConnection, dataOf } from "../support/management-api.ts";
import { query } from "../support/database.ts";

const { bellhop, use } = await startForCredentials();

const entriesSchema = z.array(z.object({ verb: z.string(), detail: z.record(z.string(), z.unknown()) }));
async function changesThere(connectionId: string) {
  const answer = await call(bellhop, "GET", `/audit?subjectId=${connectionId}`);
  const entries = await dataOf(answer, 200, entriesSchema);
  return entries.filter(({ verb }) => verb === "credential-changed").map(({ detail }) => detail);
}

describe("a credential that an agent reports", () => {
  test("counts, also when it was added on the agent's machine", async () => {
    const agent = await use.startAgent(null);
    const { id } = await createConnection(bellhop, { ...CHAT, poolId: null, agentId: agent.id });
    expect((await use.view(id)).credentialStatus).toBe("pending");
    await agent.client.heartbeat([], [{ connectionId: id, version: 0 }]);
    await eventually("the status delivered", async () => (await use.view(id)).credentialStatus === "delivered");
  });

  test("is pending again when the agent stops reporting it, with what to do", async () => {
    const agent = await use.startAgent(null);
    const { id } = await createConnection(bellhop, { ...CHAT, poolId: null, agentId: agent.id });
    await use.deliver(id);
    await agent.client.report(success(await use.syncOf(agent)));
    await agent.client.heartbeat([], [{ connectionId: id, version: 1 }]);
    await agent.client.heartbeat([], []);
    await eventually("the status pending", async () => (await use.view(id)).credentialStatus === "pending");
    expect((await use.view(id)).credentials[0]?.error).toContain("Deliver it again");
  });

  test("counts instead of a refused delivery once it is bound on the agent's machine", async () => {
    const agent = await use.startAgent(null);
    const { id } = await createConnection(bellhop, { ...CHAT, poolId: null, agentId: agent.id });
    const held = { connectionId: id, version: 1 };
    await use.deliver(id);
    await agent.client.report(success(await use.syncOf(agent)));
    await agent.client.heartbeat([], [{ ...held, changedAt: "2026-01-01T12:00:00.000Z" }]);
    await eventually("the report to be stored", async () => (await use.rowsOf(id))[0]?.["reported"] !== null);
    await use.deliver(id);
    await agent.client.report(failed(await use.syncOf(agent), "target_unresolved"));
    expect((await use.view(id)).credentials).toMatchObject([{ status: "failed", version: 2 }]);

    const bound = [{ ...held, changedAt: "2026-01-01T12:05:00.000Z" }];
    await agent.client.heartbeat([], bound);
    await eventually("the status delivered", async () => (await use.view(id)).credentialStatus === "delivered");
    expect((await use.view(id)).credentials[0]?.error).toContain("refused version 2. It uses version 1");
    // The same report again changes nothing.
    await agent.client.register({ publicKey: agent.publicKey });
    await agent.client.heartbeat([], bound);
    expect((await use.view(id)).credentialStatus).toBe("delivered");
    expect((await use.recipientsOf(id))[0]?.version).toBe(3);
    expect(await changesThere(id)).toEqual([{ agentId: agent.id, version: 1, formerVersion: 2 }]);
  });

  test("leaves no status behind when it was added and removed by hand", async () => {
    const agent = await use.startAgent(null);
    const config = { smtpHost: "localhost", smtpPort: 25, useTls: false, fromAddress: "a@example.com" };
    const { id } = await createConnection(bellhop, { type: "email", config, poolId: null, agentId: agent.id });
    await agent.client.heartbeat([], [{ connectionId: id, version: 0 }]);
    await eventually("the status delivered", async () => (await use.view(id)).credentialStatus === "delivered");
    await agent.client.heartbeat([], []);
    await eventually("no status", async () => (await use.view(id)).credentialStatus === null);
    // Changes on the agent's machine are in the audit log, newest first.
    expect(await changesThere(id)).toEqual([
      { agentId: agent.id, version: null, formerVersion: 0 },
      { agentId: agent.id, version: 0, formerVersion: null },
    ]);
  });

  test("for a type that takes no credential withholds no job", async () => {
    const agent = await use.startAgent(newPool());
    const { id } = await createConnection(bellhop, { poolId: await poolOf(agent.id) });
    await agent.client.heartbeat([], [{ connectionId: id, version: 0 }]);
    await eventually("the report to be stored", async () => (await use.rowsOf(id)).length === 1);
    expect(await use.view(id)).toMatchObject({ credentialStatus: null, credentials: [] });
  });

  test("is withdrawn from every agent when a person says that the connection needs none", async () => {
    const agent = await use.startAgent(null);
    const { id } = await createConnection(bellhop, { type: "kubernetes", config: {}, poolId: null, agentId: agent.id });
    await use.deliver(id);
    await agent.client.report(success(await use.syncOf(agent)));
    const answer = await dataOf(await call(bellhop, "DELETE", `/connections/${id}/credentials`), 202, statusesSchema);
    expect(answer).toMatchObject([{ agentId: agent.id, status: "pending", version: 0 }]);
    expect((await use.syncOf(agent)).params).toEqual({ state: "absent", version: 2 });
    expect(await use.view(id)).toMatchObject({ credentialStatus: null, credentials: [] });
    const log = await (await call(bellhop, "GET", `/audit?subjectId=${id}`)).text();
    expect(log).toContain("withdraw-credential");
  });

  test("is withdrawn when its connection is deleted, by a job that needs no connection", async () => {
    const agent = await use.startAgent(null);
    const { id } = await createConnection(bellhop, { ...CHAT, poolId: null, agentId: agent.id });
    await agent.client.heartbeat([], [{ connectionId: id, version: 0 }]);
    await eventually("the status delivered", async () => (await use.view(id)).credentialStatus === "delivered");
    await call(bellhop, "DELETE", `/connections/${id}`);
    const job = await use.syncOf(agent);
    expect(job).toMatchObject({
      connection: { id, type: "chat", config: {} },
      params: { state: "absent", version: 1 },
    });
    expect(job.params["jwe"]).toBeUndefined();
    await agent.client.report(success(job));
    expect(await use.rowsOf(id)).toMatchObject([{ state: "absent", status: "delivered", job_id: null }]);
  });

  test("is withdrawn again when it reappears after that, for example from a backup", async () => {
    const agent = await use.startAgent(null);
    const { id } = await createConnection(bellhop, { ...CHAT, poolId: null, agentId: agent.id });
    await use.deliver(id);
    await agent.client.report(success(await use.syncOf(agent)));
    await call(bellhop, "DELETE", `/connections/${id}`);
    await agent.client.report(success(await use.syncOf(agent)));
    await agent.client.heartbeat([], [{ connectionId: id, version: 1 }]);
    expect((await use.syncOf(agent)).params).toEqual({ state: "absent", version: 2 });
  });
});

describe("a credential", () => {
  test("moves with its connection: the former agent deletes it, and the next agent waits for it", async () => {
    const [former, next] = [await use.startAgent(null), await use.startAgent(null)];
    const { id } = await createConnection(bellhop, { ...CHAT, poolId: null, agentId: former.id });
    await use.deliver(id);
    await former.client.report(success(await use.syncOf(former)));
    await call(bellhop, "PATCH", `/connections/${id}`, { agentId: next.id });
    expect((await use.syncOf(former)).params).toEqual({ state: "absent", version: 2 });
    expect(await use.view(id)).toMatchObject({
      credentialStatus: "pending",
      credentials: [{ agentId: next.id, status: "pending", version: 0 }],
    });
  });

  test("is withdrawn from an agent that leaves the pool, in the agent's new pool", async () => {
    const [pool, elsewhere] = [newPool(), newPool()];
    const agent = await use.startAgent(pool);
    const { id } = await createConnection(bellhop, { ...CHAT, poolId: pool });
    await use.deliver(id);
    await agent.client.report(success(await use.syncOf(agent)));
    await call(bellhop, "PATCH", `/agents/${agent.id}`, { poolId: elsewhere });
    await agent.client.register({ publicKey: agent.publicKey });
    await agent.client.heartbeat([], [{ connectionId: id, version: 1 }]);
    expect((await use.syncOf(agent)).params).toEqual({ state: "absent", version: 2 });
  });

  test("is pending for agents that join the pool later, which get no job before they have it", async () => {
    const pool = newPool();
    const first = await use.startAgent(pool);
    const { id } = await createConnection(bellhop, { type: "kubernetes", config: {}, poolId: pool });
    expect((await use.view(id)).credentialStatus).toBeNull();
    await use.deliver(id);
    await first.client.report(success(await use.syncOf(first)));
    expect((await use.view(id)).credentialStatus).toBe("delivered");
    const later = await use.startAgent(pool);
    const { credentials, credentialStatus } = await use.view(id);
    expect(credentialStatus).toBe("pending");
    expect(credentials.find(({ agentId }) => agentId === later.id)?.status).toBe("pending");
  });

  test("of a deleted agent leaves no row", async () => {
    const agent = await use.startAgent(null);
    const { id } = await createConnection(bellhop, { ...CHAT, poolId: null, agentId: agent.id });
    await use.deliver(id);
    await call(bellhop, "DELETE", `/agents/${agent.id}`);
    expect(await use.rowsOf(id)).toEqual([]);
  });
});

describe("a credential during a concurrent change", () => {
  test("is not left on an agent when its connection is deleted at the same moment", async () => {
    for (let round = 0; round < 15; round += 1) {
      const agent = await use.startAgent(null);
      const { id } = await createConnection(bellhop, { ...CHAT, poolId: null, agentId: agent.id });
      const [recipient] = await use.recipientsOf(id);
      if (recipient === undefined) throw new Error("no recipient");
      const sealed = [sealedFor(recipient, id)];
      await Promise.all([
        call(bellhop, "POST", `/connections/${id}/credentials`, { sealed }),
        call(bellhop, "DELETE", `/connections/${id}`),
      ]);
      expect((await use.rowsOf(id)).map((row) => row["state"])).not.toContain("present");
    }
  });

  test("has to be delivered again when the agent keeps a newer version than the service knows", async () => {
    const agent = await use.startAgent(null);
    const { id } = await createConnection(bellhop, { ...CHAT, poolId: null, agentId: agent.id });
    await use.deliver(id);
    await agent.client.report(success(await use.syncOf(agent), { state: "present", version: 5 }));
    expect((await use.view(id)).credentials).toMatchObject([{ status: "failed", version: 5 }]);
    expect((await use.recipientsOf(id))[0]?.version).toBe(6);
  });

  test("is withdrawn with a version above a newer one that the service did not know", async () => {
    const agent = await use.startAgent(null);
    const { id } = await createConnection(bellhop, { ...CHAT, poolId: null, agentId: agent.id });
    await use.deliver(id);
    await agent.client.report(success(await use.syncOf(agent)));
    await call(bellhop, "DELETE", `/connections/${id}`);
    await agent.client.report(success(await use.syncOf(agent), { state: "present", version: 5 }));
    await bellhop.worker.tick(new Date(Date.now() + 2 * 60_000));
    expect((await use.syncOf(agent)).params).toEqual({ state: "absent", version: 6 });
  });
});

describe("a report by an agent of another pool", () => {
  test("does not keep a connection's jobs from its own agents", async () => {
    const [ownAgent, otherAgent] = [await use.startAgent(newPool()), await use.startAgent(newPool())];
    const poolId = await poolOf(ownAgent.id);
    const { id } = await createConnection(bellhop, { type: "kubernetes", config: {}, poolId });
    await otherAgent.client.heartbeat([], [{ connectionId: id, version: 0 }]);
    await eventually("the report to be stored", async () => (await use.rowsOf(id)).length === 1);
    await call(bellhop, "POST", `/connections/${id}/test?waitSeconds=0`);
    await eventually("a job for ownAgent", async () => (await ownAgent.client.poll()).jobs.length === 1);
    expect((await use.view(id)).credentialStatus).toBeNull();
  });

  test("is ignored when that agent moves, because it never ran the connection's jobs", async () => {
    const otherAgent = await use.startAgent(newPool());
    const { id } = await createConnection(bellhop, { ...CHAT, poolId: newPool() });
    await otherAgent.client.heartbeat([], [{ connectionId: id, version: 0 }]);
    await eventually("the report to be stored", async () => (await use.rowsOf(id)).length === 1);
    await call(bellhop, "PATCH", `/agents/${otherAgent.id}`, { poolId: newPool() });
    expect(await use.rowsOf(id)).toMatchObject([{ state: "present" }]);
  });
});

describe("an agent's new key", () => {
  test("discards ciphertext for the old key, asks for a new delivery, and is in the audit log", async () => {
    const agent = await use.startAgent(null);
    const { id } = await createConnection(bellhop, { ...CHAT, poolId: null, agentId: agent.id });
    await use.deliver(id);
    const publicKey = publicPartOf(newKeyPair());
    await agent.client.register({ publicKey });
    expect(await use.rowsOf(id)).toMatchObject([{ jwe: null, status: "pending" }]);
    expect((await use.view(id)).credentials[0]?.error).toContain("Deliver it again");
    expect((await agent.client.poll()).jobs).toEqual([]);
    const log = await (await call(bellhop, "GET", `/audit?subjectId=${agent.id}`)).text();
    expect(log).toContain("key-changed");
    expect(log).toContain(fingerprintOf(publicKey));
    await use.deliver(id);
    expect((await use.syncOf(agent)).params).toMatchObject({ version: 2 });
  });

  test("makes its credentials pending as soon as the agent key is regenerated", async () => {
    const agent = await use.startAgent(null);
    const { id } = await createConnection(bellhop, { ...CHAT, poolId: null, agentId: agent.id });
    await use.deliver(id);
    await agent.client.report(success(await use.syncOf(agent)));
    await call(bellhop, "POST", `/agents/${agent.id}/regenerate-key`);
    expect((await use.view(id)).credentialStatus).toBe("pending");
    expect(await use.recipientsOf(id)).toEqual([]);
  });
});

test("a delivery that its pool never received is sent by the sweeper", async () => {
  const agent = await use.startAgent(null);
  const { id } = await createConnection(bellhop, { ...CHAT, poolId: null, agentId: agent.id });
  const [recipient] = await use.recipientsOf(id);
  if (recipient === undefined) throw new Error("no recipient");
  // The state after a crash right after the commit.
  await query(
    bellhop,
    `insert into credentials (connection_id, agent_id, type, state, version, status, fingerprint, jwe, jwe_expires_at, updated_at)
      values (?, ?, 'chat', 'present', 1, 'pending', ?, ?, ?, 0)`,
    [id, agent.id, recipient.fingerprint, sealedFor(recipient, id).jwe, Date.now() + 60_000],
  );
  await bellhop.worker.tick(new Date());
  expect((await use.syncOf(agent)).params).toMatchObject({ state: "present", version: 1 });
});

async function poolOf(agentId: string): Promise<string> {
  const body: { data: { poolId: string } } = JSON.parse(
    await (await call(bellhop, "GET", `/agents/${agentId}`)).text(),
  );
  return body.data.poolId;
}
