import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { createJsonApi } from "../../agent/executors/shared/json-api.ts";
import { startHttpPeer, type HttpPeer } from "../support/http-peer.ts";
import { kubernetesExecutor } from "../support/kubernetes-executor.ts";
import { type SilentPeer, startSilentPeer } from "../support/silent-peer.ts";

/**
 * Slack, Jira, Teams and Kubernetes allow plain http on this machine only, so the credential never reaches a network.
 */
describe("plain http to this machine bypasses HTTP_PROXY", () => {
  let peer: HttpPeer;
  let proxy: SilentPeer;
  beforeEach(() => {
    const pod = { kind: "Pod", metadata: { name: "web-0", uid: "0" } };
    [peer, proxy] = [startHttpPeer(() => Response.json(pod)), startSilentPeer()];
  });
  afterEach(async () => {
    proxy.stop();
    await peer.stop();
  });

  const authorization = "Bearer secret-token";
  const options = () => ({
    environment: { HTTP_PROXY: `http://127.0.0.1:${proxy.port}` },
    job: { signal: new AbortController().signal, timeoutMs: 30_000, secrets: [] },
  });
  const addressed = (host: string) => new URL(`http://${host}:${new URL(peer.url).port}`);

  test.each(["127.0.0.1", "localhost"])("for the client of a vendor's API: %s", async (host) => {
    const { environment, job } = options();
    const api = createJsonApi({ peer: "Slack", environment, ...job });
    await api.call({ method: "GET", url: addressed(host), headers: { authorization }, mayHave: null });
    expect(peer.requests).toHaveLength(1);
    expect(proxy.connections).toBe(0);
  });

  test.each(["127.0.0.1", "localhost"])("for the client of Kubernetes: %s", async (host) => {
    const kubeconfig = JSON.stringify({
      "current-context": "here",
      contexts: [{ name: "here", context: { cluster: "here", user: "here" } }],
      clusters: [{ name: "here", cluster: { server: addressed(host).origin } }],
      users: [{ name: "here", user: { token: "secret-token" } }],
    });
    const executor = kubernetesExecutor({ environment: options().environment });
    const outcome = await executor.run("deletePod", { secrets: { kubeconfig }, params: { pod: "web-0" } });
    expect(outcome).toMatchObject({ status: "succeeded" });
    expect(peer.requests).toHaveLength(1);
    expect(proxy.connections).toBe(0);
  });
});
