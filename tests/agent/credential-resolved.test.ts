import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { loadExecutor } from "../../agent/executors/index.ts";
import type { ConnectionType } from "../../schema/contract/connection.ts";
import type { JsonObject } from "../../schema/contract/json.ts";
import { boundTo, targetFor } from "../support/bound-credential.ts";
import { startHttpPeer } from "../support/http-peer.ts";
import type { HttpPeer } from "../support/http-peer.ts";
import { deliveryJob } from "../support/sealed-credential.ts";
import { Parts } from "./parts.ts";

/** Real executors and real peers: the effect of an edited kubeconfig or Slack API on a bound credential. */
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

describe("a delivered token of a cluster", () => {
  const secrets = { token: "canary-sa-token" };
  const file = () => join(agent.directory, "kubeconfig");
  const config = () => ({ kubeconfigPath: file() });
  const kubeconfig = (cluster: JsonObject) =>
    writeFile(
      file(),
      JSON.stringify({
        "current-context": "c",
        contexts: [{ name: "c", context: { cluster: "k" } }],
        clusters: [{ name: "k", cluster }],
      }),
    );
  const logs = () =>
    agent.done({
      action: "kubernetes.getLogs",
      connection: connection("kubernetes", config()),
      params: { pod: "web-1" },
    });
  const deliver = (version: number) =>
    agent.done(
      deliveryJob({
        agentId: agent.service.agentId,
        publicKey: agent.vault.publicKey,
        type: "kubernetes",
        version,
        secrets,
        target: targetFor("kubernetes", config()),
      }),
    );

  test("is not sent to another server that is later written into the kubeconfig", async () => {
    await kubeconfig({ server: home.url });
    expect(await deliver(1)).toMatchObject({ status: "succeeded" });
    await logs();
    expect(home.requests[0]?.headers.get("Authorization")).toBe("Bearer canary-sa-token");

    await kubeconfig({ server: elsewhere.url });
    const changed = await logs();
    expect(changed).toMatchObject(failedWith("target_changed"));
    for (const part of ["server", elsewhere.url, home.url]) expect(changed.error?.message).toContain(part);
    expect(changed.error?.message).toContain("put back what was there");
    expect(changed.error?.message).not.toContain("deliver");
    expect(elsewhere.requests).toEqual([]);

    // A person who delivers the token again does not see the new server.
    const again = await deliver(2);
    expect(again).toMatchObject(failedWith("target_unresolved"));
    const [was, is] = [home, elsewhere].map(({ url }) => `server "${url}/", authority "those of the agent's host"`);
    for (const part of [`leads to ${is} now, and led to ${was}`, "credentials bind con_1"])
      expect(again.error?.message).toContain(part);

    // An intended change: the credential is bound again, to the same target.
    const [{ wanted = [] } = {}] = agent.vault.list();
    expect(wanted).toEqual(targetFor("kubernetes", config()));
    expect(await agent.vault.bind("con_1", wanted)).toMatchObject({
      resolved: [{ server: `${elsewhere.url}/`, authority: "those of the agent's host" }],
    });
    await logs();
    expect(elsewhere.requests[0]?.headers.get("Authorization")).toBe("Bearer canary-sa-token");
    expect(await deliver(2)).toMatchObject({ status: "succeeded" });
  });

  test("is not sent without TLS verification, under another server name, or through another proxy", async () => {
    await kubeconfig({ server: home.url });
    await deliver(1);
    const changes: JsonObject[] = [
      { "insecure-skip-tls-verify": true },
      { "tls-server-name": "evil.example" },
      { "proxy-url": elsewhere.url },
    ];
    for (const change of changes) {
      await kubeconfig({ server: home.url, ...change });
      expect(await logs()).toMatchObject(failedWith("target_changed"));
    }
    expect([...home.requests, ...elsewhere.requests]).toEqual([]);
  });

  test("keeps its target when the kubeconfig's proxy gets a new password, and no error shows that password", async () => {
    const proxy = (login: string) => elsewhere.url.replace("//", `//${login}@`);
    await kubeconfig({ server: home.url, "proxy-url": proxy("ada:canary-1") });
    await deliver(1);
    expect(agent.vault.list()[0]?.resolved).toMatchObject([{ proxy: elsewhere.url }]);
    await kubeconfig({ server: home.url, "proxy-url": proxy("ada:canary-2") });
    expect((await logs()).error?.code).not.toBe("target_changed");
    await kubeconfig({ server: home.url });
    const { error } = await logs();
    expect(error).toMatchObject({ code: "target_changed" });
    expect(error?.message).not.toContain("canary");
  });

  test("is refused while its kubeconfig is missing, with what to do", async () => {
    const early = await deliver(1);
    expect(early).toMatchObject(failedWith("target_unresolved"));
    for (const part of [file(), "does not exist", "put the file there", "deliver the credential again"]) {
      expect(early.error?.message).toContain(part);
    }
    expect(agent.vault.list()).toEqual([]);
    await kubeconfig({ server: home.url });
    expect(await deliver(2)).toMatchObject({ status: "succeeded" });
    await rm(file());
    // The same version was delivered before, so the agent does not read the kubeconfig again.
    expect(await deliver(2)).toMatchObject({ status: "succeeded", output: { state: "present", version: 2 } });
  });

  test("has no resolved server when the kubeconfig itself is the credential", async () => {
    const delivered = { ...boundTo("kubernetes", {}, { kubeconfig: "{}" }) };
    expect(await agent.vault.put("con_1", delivered)).toMatchObject({ target: [{ type: "kubernetes" }] });
    expect(agent.vault.list()[0]?.resolved).toBeUndefined();
  });
});

test("a bot's token is sent only to the SLACK_API_URL that the agent had when the token was bound", async () => {
  const config = { defaultChannel: "C024BE91L" };
  home.answer = () => Response.json({ ok: true, ts: "1.2", channel: "C024BE91L" });
  await agent.vault.put("con_1", boundTo("chat", config, { botToken: "xoxb-canary" }));
  const send = () =>
    agent.done({ action: "chat.sendMessage", connection: connection("chat", config), params: { text: "hello" } });
  expect(await send()).toMatchObject({ status: "succeeded" });
  expect(home.requests[0]?.headers.get("Authorization")).toBe("Bearer xoxb-canary");

  await agent.restart({ slackApiUrl: elsewhere.url });
  expect(await send()).toMatchObject(failedWith("target_changed"));
  expect(elsewhere.requests).toEqual([]);
  elsewhere.answer = () => Response.json({ ok: true });
  const tested = await agent.done({
    kind: "connectionTest",
    action: null,
    connection: connection("chat", config),
    params: {},
  });
  expect(tested.output).toMatchObject({ ok: false, checks: [{ ok: true }, { name: "Authentication", ok: false }] });
  expect(elsewhere.requests.map(({ headers }) => headers.get("Authorization"))).toEqual([null]);
});
