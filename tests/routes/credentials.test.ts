import { describe, expect, test } from "bun:test";
import { fingerprintOf } from "../../agent/vault/crypto.ts";
import { SEALED_CREDENTIAL_KEEP_MS } from "../../schema/limits.ts";
import { success } from "../support/agent-client.ts";
import { CHAT, startForCredentials, failed, newPool, sealedFor, statusesSchema } from "../support/credentials.ts";
import { call, createAgent, createConnection, dataOf, errorPathsOf, problemOf } from "../support/management-api.ts";
import { sealFor } from "../support/sealed-credential.ts";

const { bellhop, use } = await startForCredentials();

describe("recipients", () => {
  test("are the members of the pool that have registered, each with its key, fingerprint and next version", async () => {
    const pool = newPool();
    const member = await use.startAgent(pool);
    await createAgent(bellhop, { poolId: pool });
    await use.startAgent(newPool());
    const { id } = await createConnection(bellhop, { ...CHAT, poolId: pool });
    const { publicKey } = member;
    const fingerprint = fingerprintOf(publicKey);
    const target = [{ type: "chat" }];
    expect(await use.recipientsOf(id)).toEqual([
      { agentId: member.id, name: "an agent", publicKey, fingerprint, version: 1, target },
    ]);
  });

  test("of an unknown connection are a 404", async () => {
    await problemOf(await call(bellhop, "GET", "/connections/con_nothing/recipients"), 404, "not_found");
  });
});

describe("a delivery", () => {
  test("reaches its agent as a job, is deleted once acknowledged, and shows as delivered", async () => {
    const agent = await use.startAgent(null);
    const { id } = await createConnection(bellhop, { ...CHAT, poolId: null, agentId: agent.id });
    const [sealed] = await use.deliver(id);
    const job = await use.syncOf(agent);
    expect(job).toMatchObject({
      action: null,
      effect: "idempotent",
      connection: { id, ...CHAT },
      params: { state: "present", version: 1, jwe: sealed?.jwe },
      values: {},
    });
    expect((await use.view(id)).credentialStatus).toBe("pending");
    expect(await agent.client.report(success(job))).toEqual(["accepted"]);
    expect(await use.view(id)).toMatchObject({
      credentialStatus: "delivered",
      credentials: [{ agentId: agent.id, status: "delivered", version: 1, error: null }],
    });
    expect(await use.rowsOf(id)).toMatchObject([{ jwe: null, jwe_expires_at: null, job_id: null }]);
    expect((await agent.client.poll()).jobs).toEqual([]);
  });

  test("returns the status of every agent, including those that it left out", async () => {
    const pool = newPool();
    const [one, two] = [await use.startAgent(pool), await use.startAgent(pool)];
    const { id } = await createConnection(bellhop, { ...CHAT, poolId: pool });
    const [first] = await use.recipientsOf(id);
    if (first === undefined) throw new Error("no recipient");
    const body = { sealed: [sealedFor(first, id)] };
    const statuses = await dataOf(
      await call(bellhop, "POST", `/connections/${id}/credentials`, body),
      202,
      statusesSchema,
    );
    expect(statuses.map(({ agentId, status, version }) => [agentId, status, version])).toEqual(
      [one.id, two.id].sort().map((agentId) => [agentId, "pending", agentId === first.agentId ? 1 : 0]),
    );
  });

  test("replaces a queued one and a delivered one; the older job is never given to an agent", async () => {
    const agent = await use.startAgent(null);
    const { id } = await createConnection(bellhop, { ...CHAT, poolId: null, agentId: agent.id });
    await use.deliver(id);
    const [second] = await use.deliver(id);
    const { jobs } = await agent.client.poll();
    expect(jobs.map(({ params }) => params)).toEqual([{ state: "present", version: 2, jwe: second?.jwe ?? "" }]);
    await agent.client.report(...jobs.map((job) => success(job)));
    await use.deliver(id);
    expect((await use.syncOf(agent)).params).toMatchObject({ version: 3 });
  });

  test("that the agent cannot open is failed, says why, and keeps no ciphertext", async () => {
    const agent = await use.startAgent(null);
    const { id } = await createConnection(bellhop, { ...CHAT, poolId: null, agentId: agent.id });
    await use.deliver(id);
    await agent.client.report(failed(await use.syncOf(agent), "credential_unreadable"));
    expect(await use.view(id)).toMatchObject({
      credentialStatus: "failed",
      credentials: [{ status: "failed", error: "Version 1 was refused. it said credential_unreadable" }],
    });
    expect(await use.rowsOf(id)).toMatchObject([{ jwe: null }]);
  });

  test("to an agent that shuts down is sent to it again", async () => {
    const agent = await use.startAgent(null);
    const { id } = await createConnection(bellhop, { ...CHAT, poolId: null, agentId: agent.id });
    await use.deliver(id);
    await agent.client.report(failed(await use.syncOf(agent), "agent_shutdown"));
    expect((await use.view(id)).credentialStatus).toBe("pending");
    await bellhop.worker.tick(new Date(Date.now() + 11 * 60_000));
    expect((await use.syncOf(agent)).params).toMatchObject({ state: "present", version: 1 });
  });

  test("that no agent fetched within 24 hours is deleted, and no job carries it afterwards", async () => {
    const agent = await use.startAgent(null);
    const { id } = await createConnection(bellhop, { ...CHAT, poolId: null, agentId: agent.id });
    await use.deliver(id);
    await bellhop.worker.tick(new Date(Date.now() + SEALED_CREDENTIAL_KEEP_MS + 60_000));
    const expired = await use.view(id);
    expect(expired.credentialStatus).toBe("expired");
    expect(expired.credentials[0]?.error).toContain("Deliver it again");
    expect(await use.rowsOf(id)).toMatchObject([{ jwe: null, job_id: null }]);
    expect((await agent.client.poll()).jobs).toEqual([]);
  });

  test("is recorded with its fingerprint, and without the ciphertext", async () => {
    const agent = await use.startAgent(null);
    const { id } = await createConnection(bellhop, { ...CHAT, poolId: null, agentId: agent.id });
    const [sealed] = await use.deliver(id);
    const entries = await (await call(bellhop, "GET", `/audit?subjectId=${id}`)).text();
    expect(entries).toContain("deliver-credential");
    expect(entries).toContain(fingerprintOf(agent.publicKey));
    expect(entries).not.toContain(sealed?.jwe ?? "");
  });
});

describe("a delivery is refused", () => {
  test("with every problem and its path", async () => {
    const pool = newPool();
    const member = await use.startAgent(pool);
    const { agent: silent } = await createAgent(bellhop, { poolId: pool });
    const otherAgent = await use.startAgent(newPool());
    const { id } = await createConnection(bellhop, { ...CHAT, poolId: pool });
    const good = sealFor(member.publicKey, {});
    const header = (changes: Record<string, unknown>) => sealFor(member.publicKey, {}, { header: changes });
    const send = (sealed: object[]) => call(bellhop, "POST", `/connections/${id}/credentials`, { sealed });
    const cases: [object, string][] = [
      [{ agentId: otherAgent.id, jwe: good }, "agentId"],
      [{ agentId: silent.id, jwe: good }, "agentId"],
      [{ agentId: member.id, jwe: "xoxb-in-plain" }, "jwe"],
      [{ agentId: member.id, jwe: header({ alg: "RSA-OAEP" }) }, "jwe"],
      [{ agentId: member.id, jwe: header({ enc: "A128GCM" }) }, "jwe"],
      [{ agentId: member.id, jwe: header({ zip: "DEF" }) }, "jwe"],
      [{ agentId: member.id, jwe: header({ epk: undefined }) }, "jwe"],
      [{ agentId: member.id, jwe: header({ kid: "another key" }) }, "jwe"],
      [{ agentId: member.id, jwe: sealFor(member.publicKey, {}, { curve: "P-384" }) }, "jwe"],
      [{ agentId: member.id, jwe: good, secrets: { botToken: "x" } }, "secrets"],
    ];
    for (const [sealed, field] of cases)
      expect(await errorPathsOf(await send([sealed]))).toEqual([`sealed.0.${field}`]);
    const twice = { agentId: member.id, jwe: good };
    expect(await errorPathsOf(await send([twice, twice]))).toEqual(["sealed.1.agentId"]);
    expect(await errorPathsOf(await send([]))).toEqual(["sealed"]);
    expect(await use.rowsOf(id)).toEqual([]);
  });

  test("without repeating a secret that was sent in plain", async () => {
    const agent = await use.startAgent(null);
    const { id } = await createConnection(bellhop, { ...CHAT, poolId: null, agentId: agent.id });
    const body = { sealed: [{ agentId: agent.id, jwe: "xoxb-in-plain" }] };
    expect(await (await call(bellhop, "POST", `/connections/${id}/credentials`, body)).text()).not.toContain("xoxb");
  });

  test("with a version other than the next one", async () => {
    const agent = await use.startAgent(null);
    const { id } = await createConnection(bellhop, { ...CHAT, poolId: null, agentId: agent.id });
    const jwe = sealFor(agent.publicKey, {});
    const send = (version: number) =>
      call(bellhop, "POST", `/connections/${id}/credentials`, { sealed: [{ agentId: agent.id, jwe, version }] });
    await problemOf(await send(2), 409, "conflict");
    expect((await send(1)).status).toBe(202);
    await problemOf(await send(1), 409, "conflict");
  });

  test("for a type that has no credential", async () => {
    const agent = await use.startAgent(null);
    const { id } = await createConnection(bellhop, { poolId: null, agentId: agent.id });
    const body = { sealed: [{ agentId: agent.id, jwe: sealFor(agent.publicKey, {}) }] };
    await problemOf(await call(bellhop, "POST", `/connections/${id}/credentials`, body), 409, "conflict");
  });
});
