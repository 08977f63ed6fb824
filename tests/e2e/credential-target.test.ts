import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "bun:test";
import { z } from "zod";
import { connectionTestSchema } from "../../schema/contract/management.ts";
import type { Recipient } from "../../schema/contract/credential.ts";
import { AgentHome } from "../agent/agent-process.ts";
import { startBellhop } from "../support/bellhop.ts";
import type { Bellhop } from "../support/bellhop.ts";
import { credentialsOf } from "../support/credentials.ts";
import { eventually } from "../support/eventually.ts";
import { startHttpPeer } from "../support/http-peer.ts";
import { call, createAgent, createConnection, dataOf } from "../support/management-api.ts";
import { sealFor } from "../support/sealed-credential.ts";

const TOKEN = "canary-target-tok-81";

let bellhop: Bellhop;
let home: AgentHome;
let here: ReturnType<typeof startHttpPeer>;
let elsewhere: ReturnType<typeof startHttpPeer>;
beforeAll(async () => {
  bellhop = await startBellhop();
});
afterAll(() => bellhop.stop());
beforeEach(async () => {
  home = await AgentHome.make();
  here = startHttpPeer();
  elsewhere = startHttpPeer();
});
afterEach(async () => {
  await home.remove();
  await Promise.all([here.stop(), elsewhere.stop()]);
});

/** A real agent, and an HTTP connection with a bearer token that the agent has. */
async function delivered() {
  const poolId = crypto.randomUUID();
  const { agent, apiKey } = await createAgent(bellhop, { poolId });
  await home.start(bellhop.url, { env: { AGENT_API_KEY: apiKey, ALLOW_PRIVATE_NETWORK: "true" } });
  const config = { baseUrl: here.url, authType: "bearer" };
  const { id } = await createConnection(bellhop, { type: "http", config, poolId });
  const use = credentialsOf(bellhop);
  const recipient = await eventually("the agent to register", async () => (await use.recipientsOf(id))[0]);
  await call(bellhop, "POST", `/connections/${id}/credentials`, { sealed: [sealedFor(recipient, agent.id, id)] });
  await eventually("the credential to be delivered", async () => (await use.view(id)).credentialStatus === "delivered");
  const lead = (baseUrl: string) => call(bellhop, "PATCH", `/connections/${id}`, { config: { ...config, baseUrl } });
  const tested = async () => dataOf(await call(bellhop, "POST", `/connections/${id}/test`), 200, connectionTestSchema);
  const status = async () => (await use.view(id)).credentialStatus;
  return { id, lead, tested, status };
}

function sealedFor({ publicKey, version, target }: Recipient, agentId: string, connectionId: string) {
  const jwe = sealFor(publicKey, { agentId, connectionId, version, target, secrets: { token: TOKEN } });
  return { agentId, jwe, version };
}

test("an undone edit makes the credential delivered again, and the other address is never called", async () => {
  const { lead, tested, status } = await delivered();
  await lead(elsewhere.url);
  expect(await status()).toBe("pending");
  await lead(here.url);
  expect(await status()).toBe("delivered");
  expect(await tested()).toMatchObject({ ok: true });
  expect(here.requests[0]?.headers.get("Authorization")).toBe(`Bearer ${TOKEN}`);
  expect(elsewhere.requests).toEqual([]);
});

test("the agent refuses the test of an edited connection until it binds the credential to the new target", async () => {
  const { id, lead, tested, status } = await delivered();
  await lead(elsewhere.url);
  const refused = await tested();
  expect(refused.ok).toBe(false);
  expect(refused.error).toContain("is bound to another target");
  expect(elsewhere.requests).toEqual([]);

  const listed = z.object({
    data: z.array(z.object({ connectionId: z.string(), wanted: z.array(z.looseObject({})).optional() })),
  });
  const admin = (path: string, body?: unknown) => adminCall(path, body);
  const [credential] = listed.parse(await (await admin("/v1/credentials")).json()).data;
  expect(credential).toMatchObject({ connectionId: id, wanted: [{ baseUrl: elsewhere.url }] });
  const bound = await admin(`/v1/credentials/${id}/bind`, { target: credential?.wanted });
  expect(bound.status).toBe(200);
  await eventually("the credential to show as delivered", async () => (await status()) === "delivered");
  expect(await tested()).toMatchObject({ ok: true });
  expect(elsewhere.requests[0]?.headers.get("Authorization")).toBe(`Bearer ${TOKEN}`);
});

/** Calls the agent's admin API. */
async function adminCall(path: string, body?: unknown): Promise<Response> {
  const url = (await home.text("vault.admin-url")).trim();
  const token = (await home.text("admin-token")).trim();
  return fetch(`${url}${path}`, {
    method: body === undefined ? "GET" : "POST",
    headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}
