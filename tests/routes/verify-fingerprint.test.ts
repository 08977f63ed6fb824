import { beforeAll, describe, expect, test } from "bun:test";
import { z } from "zod";
import { fingerprintOf, newKeyPair, publicPartOf } from "../../agent/vault/crypto.ts";
import { verifyFingerprint } from "../../schema/contract/api/agents.ts";
import { agentSchema } from "../../schema/contract/management.ts";
import type { UserView } from "../../schema/contract/people.ts";
import { CHAT, startForCredentials } from "../support/credentials.ts";
import { query } from "../support/database.ts";
import { undescribed } from "../support/described.ts";
import { call, createAgent, createConnection, dataOf, errorPathsOf, problemOf } from "../support/management-api.ts";
import { createUser, signedIn } from "../support/people.ts";
import type { Browser } from "../support/people.ts";

const { bellhop, use } = await startForCredentials();
let ada: UserView;
let byAda: Browser;
let byViewer: Browser;
beforeAll(async () => {
  ada = await createUser(bellhop);
  byAda = await signedIn(bellhop, ada);
  byViewer = await signedIn(bellhop, await createUser(bellhop, { role: "viewer" }));
});

const pathOf = (id: string) => `/api/v1/automation/agents/${id}`;
const verify = (id: string, fingerprint: string, by = byAda) =>
  by.call("POST", `${pathOf(id)}/verify-fingerprint`, { fingerprint });
const verifiedOf = async (id: string) =>
  (await dataOf(await byViewer.call("GET", pathOf(id)), 200, agentSchema)).fingerprintVerified;
const auditOf = async (id: string) =>
  z
    .array(z.object({ actor: z.string(), detail: z.string() }))
    .parse(
      await query(
        bellhop,
        "select actor, detail from audit_log where subject_id = ? and verb = 'verify-fingerprint' order by id",
        [id],
      ),
    );

async function registered() {
  const agent = await use.startAgent(null);
  return { ...agent, fingerprint: fingerprintOf(agent.publicKey) };
}

describe("a compared fingerprint", () => {
  test("names the person and the time to viewers and in the list of recipients, and is in the audit log", async () => {
    const { id, fingerprint } = await registered();
    expect(await verifiedOf(id)).toBeUndefined();
    const answered = await verify(id, fingerprint);
    const { fingerprintVerified } = z.object({ data: agentSchema }).parse(await answered.clone().json()).data;
    expect(await undescribed(verifyFingerprint, answered)).toEqual([]);
    expect(fingerprintVerified?.by).toBe(`user:${ada.email}`);
    expect(Date.now() - Date.parse(fingerprintVerified?.at ?? "")).toBeWithin(-1_000, 60_000);
    expect(await verifiedOf(id)).toEqual(fingerprintVerified);
    const connection = await createConnection(bellhop, { ...CHAT, poolId: null, agentId: id });
    expect(await use.recipientsOf(connection.id)).toMatchObject([{ agentId: id, fingerprintVerified }]);
    expect(await auditOf(id)).toEqual([
      { actor: `user:${ada.email}`, detail: JSON.stringify({ name: "an agent", fingerprint }) },
    ]);
  });

  test("keeps its first time in a repeated call of the same person, which is no second entry", async () => {
    const { id, fingerprint } = await registered();
    await verify(id, fingerprint);
    const first = await verifiedOf(id);
    expect((await verify(id, fingerprint)).status).toBe(200);
    expect(await verifiedOf(id)).toEqual(first);
    expect(await auditOf(id)).toHaveLength(1);
  });

  test("names the last person who compared it", async () => {
    const { id, fingerprint } = await registered();
    await verify(id, fingerprint);
    const bob = await createUser(bellhop);
    await verify(id, fingerprint, await signedIn(bellhop, bob));
    expect((await verifiedOf(id))?.by).toBe(`user:${bob.email}`);
    expect(await auditOf(id)).toHaveLength(2);
  });

  test("says nothing about another key of the agent, nor about an agent whose API key was regenerated", async () => {
    const { id, client, fingerprint } = await registered();
    await verify(id, fingerprint);
    const next = publicPartOf(newKeyPair());
    await client.register({ publicKey: next });
    expect(await verifiedOf(id)).toBeUndefined();
    await problemOf(await verify(id, fingerprint), 409, "conflict");
    expect((await verify(id, fingerprintOf(next))).status).toBe(200);
    expect(await verifiedOf(id)).toMatchObject({ by: `user:${ada.email}` });
    await call(bellhop, "POST", `/agents/${id}/regenerate-key`);
    expect(await verifiedOf(id)).toBeUndefined();
    await problemOf(await verify(id, fingerprintOf(next)), 409, "conflict");
  });

  test("is no condition of a delivery", async () => {
    const { id } = await registered();
    const connection = await createConnection(bellhop, { ...CHAT, poolId: null, agentId: id });
    expect(await use.deliver(connection.id)).toHaveLength(1);
  });
});

describe("a comparison is refused", () => {
  test("for another fingerprint, and for an agent that has never registered", async () => {
    const { id } = await registered();
    const other = fingerprintOf(publicPartOf(newKeyPair()));
    expect((await problemOf(await verify(id, other), 409, "conflict")).detail).toContain("another fingerprint");
    const { agent } = await createAgent(bellhop);
    expect((await problemOf(await verify(agent.id, other), 409, "conflict")).detail).toContain("no key now");
    expect([await verifiedOf(id), await verifiedOf(agent.id)]).toEqual([undefined, undefined]);
  });

  test("for an agent that does not exist or was deleted", async () => {
    const { id, fingerprint } = await registered();
    await call(bellhop, "DELETE", `/agents/${id}`);
    for (const gone of [id, "agt_nothing"]) await problemOf(await verify(gone, fingerprint), 404, "not_found");
  });

  test.each(["viewer", "operator", "editor"] as const)("for a caller without credentials:write: %s", async (role) => {
    const { id, fingerprint } = await registered();
    const by = await signedIn(bellhop, await createUser(bellhop, { role }));
    await problemOf(await verify(id, fingerprint, by), 403, "forbidden");
    expect(await verifiedOf(id)).toBeUndefined();
  });

  test.each<[string, unknown, string[]]>([
    ["no fingerprint", {}, ["fingerprint"]],
    ["a number", { fingerprint: 1 }, ["fingerprint"]],
    ["too few characters", { fingerprint: "f83OJ3D2" }, ["fingerprint"]],
    ["characters outside of base64url", { fingerprint: "+".repeat(43) }, ["fingerprint"]],
    ["an unknown field", { fingerprint: "A".repeat(43), by: "user:eve@example.com" }, ["by"]],
    ["no object", [], [""]],
  ])("with %s", async (_what, body, paths) => {
    const { id } = await registered();
    const answered = await byAda.call("POST", `${pathOf(id)}/verify-fingerprint`, body);
    expect(answered.status).toBe(400);
    expect(await errorPathsOf(answered)).toEqual(paths);
  });
});
