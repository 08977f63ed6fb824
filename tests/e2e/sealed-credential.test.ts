import { afterAll, beforeAll, expect, test } from "bun:test";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { CompactEncrypt, importJWK } from "jose";
import { z } from "zod";
import { formsOfSecrets } from "../../agent/mask-forms.ts";
import type { Recipient } from "../../schema/contract/credential.ts";
import { connectionTestSchema } from "../../schema/contract/management.ts";
import { AgentHome } from "../agent/agent-process.ts";
import { startBellhop } from "../support/bellhop.ts";
import type { Bellhop } from "../support/bellhop.ts";
import { credentialsOf } from "../support/credentials.ts";
import { eventually } from "../support/eventually.ts";
import { createAgent, createConnection, dataOf } from "../support/management-api.ts";
import { chain, ended } from "../support/management.ts";
import { startHttpPeer } from "../support/http-peer.ts";
import type { PeerRequest } from "../support/http-peer.ts";
import { startTcpRelay } from "../support/tcp-relay.ts";
import type { TcpRelay } from "../support/tcp-relay.ts";

const TOKEN = "cAnArY+/'\"tÖken\\with-everything-41c7e8";
const FORMS = formsOfSecrets({ token: TOKEN });

const vaultSchema = z.object({ credentials: z.array(z.object({ connectionId: z.string() })) });

let bellhop: Bellhop;
let relay: TcpRelay;
let home: AgentHome;
/** The service's responses, and its log. */
const said: string[] = [];
const logged: string[] = [];
const consoles = { log: console.log, warn: console.warn, error: console.error };
/** Every byte that reaches the service. */
const entering: Buffer[] = [];

beforeAll(async () => {
  for (const level of ["log", "warn", "error"] as const) {
    console[level] = (...args: unknown[]) => void logged.push(args.map(String).join(" "));
  }
  bellhop = await startBellhop();
  relay = await startTcpRelay(Number(new URL(bellhop.url).port), (chunk) => entering.push(chunk));
  home = await AgentHome.make();
});
afterAll(async () => {
  Object.assign(console, consoles);
  await home.remove();
  await relay.close();
  await bellhop.stop();
});

/** Calls the service through the relay, as a person's browser would. */
async function send(method: string, path: string, body?: unknown): Promise<Response> {
  const answer = await fetch(`http://127.0.0.1:${relay.port}/api/v1/automation${path}`, {
    method,
    headers: { Authorization: `Bearer ${bellhop.adminToken}`, "Content-Type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  said.push(text);
  return new Response(text, { status: answer.status, headers: answer.headers });
}

async function storedFiles(): Promise<[name: string, bytes: Buffer][]> {
  const entries = await readdir(bellhop.directory, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return Promise.all(files.map(async (file): Promise<[string, Buffer]> => [file, await readFile(file)]));
}

const foundIn = (place: string, bytes: Buffer): string[] =>
  FORMS.filter((form) => bytes.includes(Buffer.from(form))).map((form) => `${place}: ${form}`);

test("a sealed secret works on its target, and the service never receives or stores a byte of it", async () => {
  const echo = (request: PeerRequest) => {
    const authorized = request.headers.get("Authorization") === `Bearer ${TOKEN}`;
    return new Response(`you sent ${request.headers.get("Authorization")}`, { status: authorized ? 200 : 401 });
  };
  const target = startHttpPeer(echo);
  try {
    const { agent, apiKey } = await createAgent(bellhop, { poolId: "sealed" });
    await home.start(`http://127.0.0.1:${relay.port}`, {
      env: { AGENT_API_KEY: apiKey, ALLOW_PRIVATE_NETWORK: "true" },
    });
    const config = { baseUrl: target.url, authType: "bearer" };
    const { id } = await createConnection(bellhop, { type: "http", config, poolId: "sealed" });
    const use = credentialsOf(bellhop);
    const recipient = await eventually("the agent to register", async () => (await use.recipientsOf(id))[0]);

    // Before the delivery, a test names the missing credential.
    const before = await dataOf(await send("POST", `/connections/${id}/test`), 200, connectionTestSchema);
    expect(before.ok).toBe(false);

    const { version, target: sealedTarget } = recipient;
    const plaintext = { agentId: agent.id, connectionId: id, version, target: sealedTarget, secrets: { token: TOKEN } };
    const jwe = await sealTo(recipient, plaintext);
    const sealed = [{ agentId: agent.id, jwe, version: recipient.version }];
    expect((await send("POST", `/connections/${id}/credentials`, { sealed })).status).toBe(202);
    await eventually(
      "the credential to be delivered",
      async () => (await use.view(id)).credentialStatus === "delivered",
    );

    const after = await dataOf(await send("POST", `/connections/${id}/test`), 200, connectionTestSchema);
    expect(after).toMatchObject({ ok: true });

    // Errors on the way and the target's replies are masked, too.
    const wrong = {
      agentId: agent.id,
      connectionId: "con_other",
      version: recipient.version + 1,
      secrets: { token: TOKEN },
    };
    const refused = await sealTo(recipient, wrong);
    await send("POST", `/connections/${id}/credentials`, { sealed: [{ agentId: agent.id, jwe: refused }] });
    await eventually("the credential to be refused", async () => (await use.view(id)).credentialStatus === "failed");
    said.push(JSON.stringify(await use.view(id)));
    target.answer = (request) => new Response(`no: ${request.headers.get("Authorization")}`, { status: 401 });
    const failing = await dataOf(await send("POST", `/connections/${id}/test`), 200, connectionTestSchema);
    expect(failing).toMatchObject({ ok: false });
    target.answer = echo;

    // The target returns the secret: the agent masks it before anything leaves the agent.
    const definition = chain([{ id: "call", action: "http.request", connectionId: id, params: { path: "/" } }]);
    const workflow = { name: "uses it", trigger: { type: "manual" }, definition };
    const { id: workflowId } = await idOf(send("POST", "/workflows", workflow));
    await send("POST", `/workflows/${workflowId}/publish`);
    const { executionId } = await idOf(send("POST", `/workflows/${workflowId}/execute`));
    const execution = await ended(bellhop, executionId);
    expect(execution).toMatchObject({
      status: "succeeded",
      nodeRuns: [{ output: { statusCode: 200, body: "you sent Bearer ***" } }],
    });
    said.push(JSON.stringify(execution));

    // Deleting the connection deletes the credential from the vault.
    expect(await idsInVault()).toEqual([id]);
    expect((await send("DELETE", `/connections/${id}?force=true`)).status).toBe(200);
    await eventually("the vault to delete the credential", async () => (await idsInVault()).length === 0);
    await eventually(
      "the deletion to be acknowledged",
      async () => (await use.rowsOf(id))[0]?.["status"] === "delivered",
    );

    // The service logs that its database is gone, so that there is a log to search.
    await bellhop.stopLibsql();
    await bellhop.worker.tick(new Date());
    await bellhop.startLibsql();
    const files = await storedFiles();
    const wire = Buffer.concat(entering);
    expect([
      ...foundIn("wire", wire),
      ...foundIn("answers", Buffer.from(said.join("\n"))),
      ...foundIn("log", Buffer.from(logged.join("\n"))),
      ...files.flatMap(([name, bytes]) => foundIn(name, bytes)),
    ]).toEqual([]);
    // The search itself works: public values are found in each place.
    expect(wire.includes(jwe)).toBe(true);
    expect(logged).not.toEqual([]);
    expect(files.some(([name, bytes]) => name.startsWith(bellhop.libsql.file) && bytes.includes(id))).toBe(true);
    expect(files.filter(([name]) => name.includes("objects")).some(([, bytes]) => bytes.includes(agent.id))).toBe(true);
  } finally {
    await target.stop();
  }
});

/** As a person's browser does. */
async function sealTo({ publicKey, fingerprint }: Recipient, plaintext: object): Promise<string> {
  return new CompactEncrypt(new TextEncoder().encode(JSON.stringify(plaintext)))
    .setProtectedHeader({ alg: "ECDH-ES", enc: "A256GCM", kid: fingerprint })
    .encrypt(await importJWK({ ...publicKey }, "ECDH-ES"));
}

async function idsInVault(): Promise<string[]> {
  return vaultSchema
    .parse(JSON.parse(await home.text("vault.json")))
    .credentials.map(({ connectionId }) => connectionId);
}

async function idOf(answer: Promise<Response>): Promise<{ id: string; executionId: string }> {
  const body: { data: { id: string; executionId: string } } = JSON.parse(await (await answer).text());
  return body.data;
}
