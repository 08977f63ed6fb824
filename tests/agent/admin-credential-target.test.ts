import { afterEach, beforeEach, expect, test } from "bun:test";
import { join } from "node:path";
import { z } from "zod";
import { startAdminServer } from "../../agent/admin-server.ts";
import type { AdminServer } from "../../agent/admin-server.ts";
import type { Vault } from "../../agent/vault/index.ts";
import { problemSchema } from "../../schema/contract/problem.ts";
import { targetFor } from "../support/bound-credential.ts";
import { SSH } from "../support/connection-types/ssh.ts";
import { ManualClock } from "./parts.ts";
import { VaultHome } from "./vault-home.ts";

const TOKEN = "admin-token-for-tests-0123456789";
let home: VaultHome;
let vault: Vault;
let server: AdminServer;

beforeEach(async () => {
  home = await VaultHome.make();
  vault = await home.open();
  const note = (message: string, fields: object = {}) => void home.log.push(`${message} ${JSON.stringify(fields)}`);
  server = startAdminServer({
    port: 0,
    token: TOKEN,
    clock: new ManualClock(),
    log: { debug: note, info: note, warning: note, error: note },
    status: () => ({}),
    metrics: () => "",
    credentials: vault,
  });
});
afterEach(async () => {
  await server.stop();
  await home.remove();
});

const call = (method: string, path: string, body?: unknown) =>
  fetch(`${server.url}/v1/credentials${path}`, {
    method,
    headers: { Authorization: `Bearer ${TOKEN}`, "Content-Type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });

const secrets = { password: "canary-3c" };
const target = targetFor("ssh", SSH);
const listed = async () => z.object({ data: z.array(z.unknown()) }).parse(await (await call("GET", "")).json()).data[0];
const bind = (id: string, body: unknown) => call("POST", `/${id}/bind`, body);

test("PUT with secrets and a target stores both, lists the target, and accepts any spelling of its host", async () => {
  const written = [{ type: "ssh", ...SSH, host: "A.Example.com" }];
  const created = await call("PUT", "/con_1", { secrets, target: written });
  expect(created.status).toBe(201);
  expect(await listed()).toMatchObject({ connectionId: "con_1", target });
  expect(await listed()).not.toHaveProperty("unbound");
});

test("PUT refuses secrets that the target's connection does not take, and accepts them without a target", async () => {
  const refused = await call("PUT", "/con_1", { secrets: { token: "canary-4d" }, target });
  expect(refused.status).toBe(400);
  const { detail } = problemSchema.parse(await refused.json());
  expect(detail).toContain("a connection of type ssh with authMethod password takes password, and nothing else");
  expect(detail).not.toContain("canary");
  expect(vault.list()).toEqual([]);
  expect((await call("PUT", "/con_1", { secrets: { token: "canary-4d" } })).status).toBe(201);
});

test("a target that a job asked for is listed as wanted, and binding to it makes the credential usable", async () => {
  await call("PUT", "/con_1", { secrets });
  const release = () =>
    vault.releases.forConnection({ id: "con_1", type: "ssh", config: SSH }, { kind: "action" }).state;
  expect(release()).toBe("refused");
  expect(await listed()).toMatchObject({ unbound: true, wanted: target });
  const bound = await bind("con_1", { target });
  expect(bound.status).toBe(200);
  expect(await bound.json()).toMatchObject({ success: true, data: { connectionId: "con_1", target } });
  expect(release()).toBe("released");
  expect(await listed()).not.toHaveProperty("wanted");
  expect(home.log.join("\n")).not.toContain("canary");
});

test("binding a missing credential fails with not_found", async () => {
  const missing = await bind("con_1", { target });
  expect(missing.status).toBe(404);
  expect(problemSchema.parse(await missing.json()).code).toBe("not_found");
});

test("a target whose kubeconfig does not exist is a conflict, and nothing is stored", async () => {
  const body = {
    secrets: { token: "canary-3c" },
    target: [{ type: "kubernetes", kubeconfigPath: join(home.directory, "kubeconfig") }],
  };
  const refused = await call("PUT", "/con_1", body);
  expect(refused.status).toBe(409);
  const { code, detail } = problemSchema.parse(await refused.json());
  expect(code).toBe("conflict");
  expect(detail).toContain(`${join(home.directory, "kubeconfig")} does not exist on the agent's host`);
  expect(vault.list()).toEqual([]);
});

test("a malformed target is refused with the path of the wrong field", async () => {
  await call("PUT", "/con_1", { secrets });
  const cases: [unknown, string][] = [
    [{}, "target"],
    [{ target: [] }, "target"],
    [{ target: [{ type: "ssh", ...SSH, port: "22" }] }, "target.0.port"],
    [{ target, secrets }, ""],
  ];
  for (const [body, path] of cases) {
    const refused = await bind("con_1", body);
    expect([body, refused.status]).toEqual([body, 400]);
    expect(problemSchema.parse(await refused.json()).errors?.map((error) => error.path)).toEqual([path]);
  }
  expect((await call("GET", "/con_1/bind")).status).toBe(405);
  expect(await listed()).toMatchObject({ unbound: true });
});
