import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { createServer } from "node:net";
import type { AddressInfo, Server } from "node:net";
import { loadExecutor } from "../../agent/executors/index.ts";
import type { Job } from "../../schema/contract/agent.ts";
import type { ConnectionType } from "../../schema/contract/connection.ts";
import type { JsonObject } from "../../schema/contract/json.ts";
import { boundTo, targetFor } from "../support/bound-credential.ts";
import { startHttpPeer } from "../support/http-peer.ts";
import type { HttpPeer } from "../support/http-peer.ts";
import { Parts } from "./parts.ts";

/** Real executors and real peers: the effect of an edited connection on a bound credential. */
let agent: Parts;
let home: HttpPeer;
let elsewhere: HttpPeer;
beforeEach(async () => {
  [home, elsewhere] = [startHttpPeer(), startHttpPeer()];
  agent = await Parts.start({ load: loadExecutor, settings: { allowPrivateNetwork: true, slackApiUrl: home.url } });
});
afterEach(async () => {
  await agent.stop();
  await Promise.all([home.stop(), elsewhere.stop()]);
});

const connection = (type: ConnectionType, config: JsonObject) => ({ id: "con_1", type, config });
const failedWith = (code: string) => ({ status: "failed", output: null, error: { code } });

describe("a bearer token", () => {
  const bearer = (url: string) => ({ baseUrl: url, authType: "bearer" });
  const request = (url: string, more: JsonObject = {}) =>
    agent.done({ action: "http.request", connection: connection("http", { ...bearer(url), ...more }), params: {} });
  const secrets = { token: "canary-tok-77" };

  test("is sent to its target, and never by a job of an edited connection", async () => {
    await agent.vault.put("con_1", boundTo("http", bearer(home.url), secrets));
    expect(await request(home.url, { timeoutSeconds: 7 })).toMatchObject({ status: "succeeded" });
    expect(home.requests[0]?.headers.get("Authorization")).toBe("Bearer canary-tok-77");

    const changed = await request(elsewhere.url);
    expect(changed).toMatchObject(failedWith("target_changed"));
    for (const part of ["baseUrl", elsewhere.url, home.url]) expect(changed.error?.message).toContain(part);
    expect(await request(home.url, { verifySsl: false })).toMatchObject(failedWith("target_changed"));
    expect(await request(`${home.url}/admin`)).toMatchObject(failedWith("target_changed"));
    expect(elsewhere.requests).toEqual([]);
    expect(home.requests).toHaveLength(1);
  });

  test("is not sent while it is unbound, and is sent once it is bound to the target that the job asked for", async () => {
    await agent.vault.put("con_1", { secrets });
    for (let times = 0; times < 2; times++) {
      expect(await request(home.url)).toMatchObject(failedWith("credential_unbound"));
    }
    expect(home.requests).toEqual([]);
    const [{ wanted = [] } = {}] = agent.vault.list();
    await agent.vault.bind("con_1", wanted);
    expect(await request(home.url)).toMatchObject({ status: "succeeded" });
    expect(home.requests[0]?.headers.get("Authorization")).toBe("Bearer canary-tok-77");
  });

  test("for certain workflows is sent for those workflows and for tests only", async () => {
    const workflows = ["wf_1"];
    const listed = { ...connection("http", bearer(home.url)), workflows };
    await agent.vault.put("con_1", { secrets, target: targetFor("http", bearer(home.url), workflows) });
    const run = (more: Partial<Job>) => agent.done({ action: "http.request", connection: listed, params: {}, ...more });
    expect(await run({ workflowId: "wf_1" })).toMatchObject({ status: "succeeded" });
    expect(home.requests).toHaveLength(1);
    expect(await run({ workflowId: "wf_2" })).toMatchObject(failedWith("workflow_refused"));
    expect(await run({})).toMatchObject(failedWith("workflow_refused"));
    const all = await run({ workflowId: "wf_1", connection: connection("http", bearer(home.url)) });
    expect(all).toMatchObject(failedWith("target_changed"));
    expect(all.error?.message).toContain("workflows");
    expect(home.requests).toHaveLength(1);
    expect(await run({ kind: "connectionTest", action: null })).toMatchObject({ status: "succeeded" });
  });

  test("is not sent by a test of an edited connection", async () => {
    await agent.vault.put("con_1", boundTo("http", bearer(home.url), secrets));
    const tested = await agent.done({
      kind: "connectionTest",
      action: null,
      connection: connection("http", bearer(elsewhere.url)),
      params: {},
    });
    expect(tested).toMatchObject(failedWith("target_changed"));
    expect(elsewhere.requests).toEqual([]);
  });
});

describe("a job of an edited connection", () => {
  let recorder: Server;
  let connected: number;
  let port: number;
  beforeEach(async () => {
    connected = 0;
    recorder = createServer((socket) => {
      connected++;
      socket.destroy();
    });
    const { promise, resolve } = Promise.withResolvers<void>();
    recorder.listen(0, "127.0.0.1", resolve);
    await promise;
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it listens on TCP
    port = (recorder.address() as AddressInfo).port;
  });
  afterEach(() => void recorder.close());

  const login = { username: "ada", password: "canary" };
  const [host, from] = ["127.0.0.1", "10.255.255.1"];
  const cases: [string, ConnectionType, JsonObject, Record<string, string>, Partial<Job>][] = [
    [
      "host",
      "ssh",
      { host: from, username: "ada", authMethod: "password" },
      { password: "canary" },
      { action: "ssh.executeCommand", params: { command: "true" } },
    ],
    ...(["postgres", "mysql", "sqlserver"] as const).map((driver): (typeof cases)[number] => [
      "host",
      "database",
      { host: from, driver, database: "shop", tls: "off" },
      login,
      { action: "database.executeQuery", params: { query: "select 1" } },
    ]),
    [
      "host",
      "winrm",
      { host: from, port: 5985, useSsl: false, authMethod: "basic" },
      login,
      { action: "winrm.executeCommand", params: { command: "dir" } },
    ],
    [
      "smtpHost",
      "email",
      { smtpHost: from, smtpPort: 25, useTls: false, fromAddress: "ops@example.com" },
      login,
      { action: "email.sendEmail", params: { to: "a@example.com", subject: "s", text: "t" } },
    ],
    [
      "serverUrl",
      "ticketing",
      { serverUrl: `http://${from}`, email: "ops@example.com" },
      { apiToken: "canary" },
      { action: "ticketing.addComment", params: { issueKey: "OPS-1", body: "b" } },
    ],
  ];
  for (const [field, type, config, secrets, job] of cases) {
    const driver = typeof config["driver"] === "string" ? ` (${config["driver"]})` : "";
    test(`of type ${type}${driver} does not even connect to the new target`, async () => {
      await agent.vault.put("con_1", boundTo(type, config, secrets));
      const place = { host, smtpHost: host, port, smtpPort: port, serverUrl: `http://${host}:${port}` };
      const moved = Object.fromEntries(
        Object.entries(place).filter(([name]) => name in config || (name === "port" && "host" in config)),
      );
      const edited = connection(type, { ...config, ...moved });
      expect(await agent.done({ ...job, connection: edited })).toMatchObject(failedWith("target_changed"));
      const tested = await agent.done({ kind: "connectionTest", action: null, params: {}, connection: edited });
      expect(tested).toMatchObject(failedWith("target_changed"));
      expect(tested.error?.message).toContain(`${field} is now `);
      expect(connected).toBe(0);
      // Bound to the new target, the same job connects.
      await agent.vault.bind("con_1", targetFor(type, { ...config, ...moved }));
      await agent.done({ kind: "connectionTest", action: null, params: {}, connection: edited });
      expect(connected).toBeGreaterThan(0);
    });
  }
});
