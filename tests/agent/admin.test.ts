import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { networkInterfaces } from "node:os";
import { join } from "node:path";
import { startAdminServer } from "../../agent/admin-server.ts";
import type { AdminServer } from "../../agent/admin-server.ts";
import { keptAdminToken } from "../../agent/admin/token.ts";
import type { Vault } from "../../agent/vault/index.ts";
import { problemSchema } from "../../schema/contract/problem.ts";
import { secretsIn } from "../support/bound-credential.ts";
import { ManualClock } from "./parts.ts";
import { VaultHome } from "./vault-home.ts";

const TOKEN = "admin-token-for-tests-0123456789";
let home: VaultHome;
let directory: string;
let clock: ManualClock;
let vault: Vault;
let server: AdminServer;
let log: string[];

beforeEach(async () => {
  home = await VaultHome.make();
  ({ directory, log } = home);
  clock = new ManualClock();
  vault = await home.open();
  const note = (message: string, fields: object = {}) => void log.push(`${message} ${JSON.stringify(fields)}`);
  const logger = { debug: note, info: note, warning: note, error: note };
  server = startAdminServer({
    port: 0,
    token: TOKEN,
    clock,
    log: logger,
    status: () => ({ name: "test agent" }),
    metrics: () => "bellhop_agent_connected 1\n",
    credentials: vault,
  });
});
afterEach(async () => {
  await server.stop();
  await home.remove();
});

function call(method: string, path: string, init: { body?: string; headers?: Record<string, string> } = {}) {
  return fetch(`${server.url}${path}`, {
    method,
    headers: { Authorization: `Bearer ${TOKEN}`, "Content-Type": "application/json", ...init.headers },
    ...(init.body === undefined ? {} : { body: init.body }),
  });
}

const put = (id: string, secrets: unknown) =>
  call("PUT", `/v1/credentials/${id}`, { body: JSON.stringify({ secrets }) });

test("a credential is stored, listed by name, replaced and removed; its value is never shown", async () => {
  const created = await put("con_1", { username: "ada", password: "canary-5e4d" });
  expect(created.status).toBe(201);
  expect((await put("con_1", { password: "canary-9a8b" })).status).toBe(200);
  expect(secretsIn(vault, "con_1")).toEqual({ password: "canary-9a8b" });
  const listed = await call("GET", "/v1/credentials");
  const texts = [await created.text(), await listed.text(), log.join("\n")];
  expect(JSON.parse(texts[1] ?? "")).toEqual({
    success: true,
    data: [
      { connectionId: "con_1", version: 0, updatedAt: "2026-11-21T10:00:00.000Z", names: ["password"], unbound: true },
    ],
  });
  for (const text of texts) expect(text).not.toContain("canary");
  expect((await call("DELETE", "/v1/credentials/con_1")).status).toBe(200);
  expect((await call("DELETE", "/v1/credentials/con_1")).status).toBe(404);
  expect(await (await call("GET", "/v1/credentials")).json()).toEqual({ success: true, data: [] });
});

test("status and metrics are served with no-store", async () => {
  const status = await call("GET", "/v1/status");
  expect(await status.json()).toEqual({ success: true, data: { name: "test agent" } });
  expect(status.headers.get("Cache-Control")).toBe("no-store");
  const metrics = await call("GET", "/metrics");
  expect(metrics.headers.get("Content-Type")).toContain("text/plain; version=0.0.4");
  expect(await metrics.text()).toBe("bellhop_agent_connected 1\n");
});

const refusals: [string, Parameters<typeof call>, number, string][] = [
  ["no token", ["GET", "/v1/status", { headers: { Authorization: "" } }], 401, "unauthorized"],
  ["a wrong token", ["GET", "/v1/status", { headers: { Authorization: `Bearer ${TOKEN}x` } }], 401, "unauthorized"],
  [
    "the token under another scheme",
    ["GET", "/v1/status", { headers: { Authorization: `Basic ${TOKEN}` } }],
    401,
    "unauthorized",
  ],
  ["an unknown path without a token", ["GET", "/nothing", { headers: { Authorization: "" } }], 401, "unauthorized"],
  ["a Host of another name", ["GET", "/v1/status", { headers: { Host: "evil.example.com" } }], 403, "forbidden"],
  [
    "a Host that only begins with this machine's address",
    ["GET", "/v1/status", { headers: { Host: "127.0.0.1.example.com" } }],
    403,
    "forbidden",
  ],
  [
    "a request of a web page",
    ["GET", "/v1/status", { headers: { Origin: "http://127.0.0.1:9191" } }],
    403,
    "forbidden",
  ],
  ["a request of a page without an origin", ["GET", "/v1/status", { headers: { Origin: "null" } }], 403, "forbidden"],
  ["an unknown path", ["GET", "/v2/status"], 404, "not_found"],
  ["an unknown method", ["POST", "/v1/status"], 405, "method_not_allowed"],
  [
    "a method that credentials do not support",
    ["PATCH", "/v1/credentials/con_1", { body: "{}" }],
    405,
    "method_not_allowed",
  ],
  [
    "an id that is a path",
    ["PUT", "/v1/credentials/..%2f..%2fetc", { body: '{"secrets":{}}' }],
    400,
    "invalid_request",
  ],
  [
    "an id that is too long",
    ["PUT", `/v1/credentials/${"a".repeat(65)}`, { body: '{"secrets":{}}' }],
    400,
    "invalid_request",
  ],
  ["a body that is not JSON", ["PUT", "/v1/credentials/con_1", { body: "password=1" }], 400, "invalid_request"],
  ["no secrets", ["PUT", "/v1/credentials/con_1", { body: "{}" }], 400, "invalid_request"],
  [
    "a secret that is not a string",
    ["PUT", "/v1/credentials/con_1", { body: '{"secrets":{"a":1}}' }],
    400,
    "invalid_request",
  ],
  [
    "an unknown field",
    ["PUT", "/v1/credentials/con_1", { body: '{"secrets":{},"version":9}' }],
    400,
    "invalid_request",
  ],
  [
    "a key in PuTTY's format",
    ["PUT", "/v1/credentials/con_1", { body: '{"secrets":{"privateKey":"PuTTY-User-Key-File-3: ssh"}}' }],
    400,
    "invalid_request",
  ],
  [
    "a name with a line break",
    ["PUT", "/v1/credentials/con_1", { body: '{"secrets":{"a\\nb":"c"}}' }],
    400,
    "invalid_request",
  ],
  [
    "a body of another type",
    ["PUT", "/v1/credentials/con_1", { body: '{"secrets":{}}', headers: { "Content-Type": "text/plain" } }],
    415,
    "unsupported_media_type",
  ],
  [
    "a body that is too large",
    ["PUT", "/v1/credentials/con_1", { body: JSON.stringify({ secrets: { a: "x".repeat(1_200_000) } }) }],
    413,
    "payload_too_large",
  ],
];

describe("the admin API refuses with a problem document", () => {
  for (const [what, request, status, code] of refusals) {
    test(what, async () => {
      const response = await call(...request);
      expect(response.status).toBe(status);
      expect(response.headers.get("Content-Type")).toBe("application/problem+json");
      expect(response.headers.get("Access-Control-Allow-Origin")).toBeNull();
      const problem = problemSchema.parse(await response.json());
      expect(problem).toMatchObject({ status, code, timestamp: "2026-11-21T10:00:00.000Z" });
      expect(vault.versions()).toEqual([]);
    });
  }

  test("the description of an error never contains a secret's value", async () => {
    const response = await put("con_1", { password: ["canary-1c2d"] });
    expect(response.status).toBe(400);
    expect(await response.text()).not.toContain("canary");
  });
});

test("a key in PuTTY's format is refused with the command that converts it", async () => {
  const response = await put("con_1", { privateKey: "PuTTY-User-Key-File-3: canary-1c2d" });
  const { detail } = problemSchema.parse(await response.json());
  expect(detail).toContain("puttygen key.ppk -O private-openssh -o key.pem");
  expect(detail).not.toContain("canary");
});

test("a Host of localhost is accepted, also with the port of a tunnel", async () => {
  for (const host of ["localhost", "LOCALHOST:1234", "127.0.0.1"]) {
    expect((await call("GET", "/v1/status", { headers: { Host: host } })).status).toBe(200);
  }
});

test("a kubeconfig of one megabyte is accepted", async () => {
  expect((await put("con_1", { kubeconfig: "x".repeat(1_048_576) })).status).toBe(201);
});

describe("the limit of 60 requests a minute", () => {
  const kinds: [string, Record<string, string>, number, Record<string, string>][] = [
    ["with the token", {}, 200, { Authorization: "Bearer wrong" }],
    ["with a wrong token", { Authorization: "Bearer wrong" }, 401, {}],
  ];
  for (const [what, headers, status, others] of kinds) {
    test(`gives 429 with Retry-After after 60 requests ${what}, and does not delay other requests`, async () => {
      for (let index = 0; index < 60; index++) {
        expect((await call("GET", "/v1/status", { headers })).status).toBe(status);
        clock.advance(100);
      }
      const refused = await call("GET", "/v1/status", { headers });
      expect(refused.status).toBe(429);
      // The first request was 6 s ago.
      expect(refused.headers.get("Retry-After")).toBe("54");
      expect((await call("GET", "/v1/status", { headers: others })).status).toBe(status === 200 ? 401 : 200);
      clock.advance(54_000);
      expect((await call("GET", "/v1/status", { headers })).status).toBe(status);
      expect((await call("GET", "/v1/status", { headers })).status).toBe(429);
    });
  }

  test("does not count requests of web pages", async () => {
    for (let index = 0; index < 70; index++) {
      expect((await call("GET", "/v1/status", { headers: { Origin: "https://evil.example.com" } })).status).toBe(403);
    }
    expect((await call("GET", "/v1/status")).status).toBe(200);
  });
});

test("the admin API listens on loopback only", async () => {
  const others = Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .filter(({ family, internal }) => family === "IPv4" && !internal);
  const { port } = new URL(server.url);
  for (const { address } of others) await expect(fetch(`http://${address}:${port}/v1/status`)).rejects.toThrow();
  expect(new URL(server.url).hostname).toBe("127.0.0.1");
});

test("a vault that cannot be written gives an error, and keeps its credentials", async () => {
  await put("con_1", { password: "one" });
  await rm(directory, { recursive: true });
  const response = await put("con_1", { password: "canary-two" });
  expect(response.status).toBe(500);
  expect(await response.text()).not.toContain("canary");
  expect(secretsIn(vault, "con_1")).toEqual({ password: "one" });
});

test("a taken port prevents the start, and the error says what to do", async () => {
  const { port } = new URL(server.url);
  const start = () =>
    startAdminServer({
      port: Number(port),
      token: TOKEN,
      clock,
      log: { debug() {}, info() {}, warning() {}, error() {} },
      status: () => ({}),
      metrics: () => "",
      credentials: vault,
    });
  expect(start).toThrow(`ADMIN_PORT ${port} on 127.0.0.1 is taken`);
});

describe("the agent's generated admin token", () => {
  test("is kept after a restart, and its file is private", async () => {
    const path = join(directory, "admin-token");
    const token = await keptAdminToken(path);
    expect(token).toMatch(/^[A-Za-z0-9_-]{43}$/u);
    expect(await readFile(path, "utf8")).toBe(`${token}\n`);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(await keptAdminToken(path)).toBe(token);
  });

  test("replaces a file without a valid token", async () => {
    const path = join(directory, "admin-token");
    await writeFile(path, "", { mode: 0o644 });
    const token = await keptAdminToken(path);
    expect(token).toHaveLength(43);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  test("prevents the start when it cannot be written", async () => {
    await writeFile(join(directory, "file"), "");
    await expect(keptAdminToken(join(directory, "file", "admin-token"))).rejects.toThrow("set ADMIN_TOKEN");
    expect(await readdir(directory)).toContain("file");
  });
});
