import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { JsonObject } from "../../schema/contract/json.ts";
import { failureOf } from "../support/executor-context.ts";
import { clientCertificate, KubernetesApi } from "../support/kubernetes-api/index.ts";
import { kubernetesExecutor } from "../support/kubernetes-executor.ts";

describe("login by a kubeconfig", () => {
  let api: KubernetesApi;
  let directory: string;
  const executor = kubernetesExecutor();

  beforeAll(async () => {
    api = await KubernetesApi.start();
    api.state.addPod("web-0");
    directory = await mkdtemp(join(tmpdir(), "bellhop-kubeconfig-"));
  });
  afterAll(async () => {
    await api.stop();
    await rm(directory, { recursive: true, force: true });
  });
  afterEach(() => {
    api.requests.length = 0;
  });

  const file = async (fileName: string, text: string): Promise<string> => {
    const path = join(directory, fileName);
    await writeFile(path, text);
    return path;
  };
  const delivered = (kubeconfig: string) =>
    executor.run("getLogs", { secrets: { kubeconfig }, params: { pod: "web-0" } });

  test("from the vault may neither run programs nor read files of the agent's host", async () => {
    const mark = join(directory, "ran");
    const exec = { apiVersion: "client.authentication.k8s.io/v1", command: "touch", args: [mark] };
    const cases: [JsonObject, string][] = [
      [{ exec }, "has exec, but a kubeconfig from the vault may not run programs"],
      [{ exec, token: api.token }, "has exec"],
      [{ "token-file": "/etc/hostname", token: api.token }, "has token-file"],
      [{ tokenFile: "/etc/hostname" }, "has tokenFile"],
      [{ "client-certificate": "/a", "client-key": "/b" }, "has client-certificate"],
      [{ "auth-provider": { name: "gcp" } }, "has auth-provider"],
      [{ token: "t", "as-user-extra": { reason: ["x"] } }, "as-user-extra"],
    ];
    for (const [user, said] of cases) {
      const failure = failureOf(await delivered(api.kubeconfig({ user })));
      expect(failure.code).toBe("invalid_credential");
      expect(failure.message).toContain(said);
    }
    const named: JsonObject = { "certificate-authority": "/etc/hostname" };
    for (const cluster of [named, { ...named, "certificate-authority-data": api.authorityData }]) {
      const failure = failureOf(await delivered(api.kubeconfig({ cluster })));
      expect(failure.message).toContain("has certificate-authority, but");
    }
    expect(await Bun.file(mark).exists()).toBe(false);
    expect(api.requests).toEqual([]);
  });

  test("on the agent's host ignores token-file, which the library would read as the agent", async () => {
    const user = { "token-file": await file("agents-own.txt", api.token) };
    const kubeconfigPath = await file("on-host", api.kubeconfig({ user }));
    const failed = await executor.run("getLogs", { config: { kubeconfigPath }, params: { pod: "web-0" } });
    expect(failureOf(failed).code).toBe("authentication_failed");
    expect(api.requests.map(({ authorization }) => authorization)).toEqual([null]);
  });

  test("is refused with a duplicate key or a second document", async () => {
    const text = api.kubeconfig();
    for (const wrong of [text.replace("{", '{"current-context": "secret-line",'), `${text}\n---\nsecret-line: 1`]) {
      const failure = failureOf(await delivered(wrong));
      expect(failure.code).toBe("invalid_credential");
      expect(failure.message).toContain("is not YAML");
      expect(failure.message).not.toContain("secret-line");
    }
  });

  test.each([
    ["invalid YAML", "a: [b\nsecret-line: 'x"],
    ["a list", "- 1\n- 2"],
    ["no context", JSON.stringify({ contexts: [] })],
    [
      "a missing cluster",
      JSON.stringify({ "current-context": "a", contexts: [{ name: "a", context: { cluster: "b" } }] }),
    ],
  ])("is refused for %s, whose text is not quoted", async (_what, text) => {
    const failure = failureOf(await delivered(text));
    expect(failure.code).toBe("invalid_credential");
    expect(failure.message).not.toContain("secret-line");
  });

  test.each([
    ["plain http beyond this host", { server: "http://10.0.0.1:8080" }, "plain http"],
    ["an address with a login", { server: "https://user:pass@10.0.0.1" }, "has a user or password"],
    [
      "a proxy that is not an HTTP proxy",
      { cluster: { "proxy-url": "socks5://p:1" } },
      "not the address of an HTTP proxy",
    ],
    [
      "a proxy with an invalid port",
      { cluster: { "proxy-url": "http://u:pw@h:99999" } },
      "not the address of an HTTP proxy",
    ],
    ["a server with another scheme", { server: "file:///x" }, "is not an address"],
    ["a server whose port is 0", { server: "https://127.0.0.1:0" }, "is not an address"],
    [
      "an authority that is not a certificate",
      { cluster: { "certificate-authority-data": "aGVsbG8=" } },
      "certificate-authority that cannot be used",
    ],
    [
      "an authority that is not base64",
      { cluster: { "certificate-authority-data": "-----BEGIN" } },
      "certificate-authority that cannot be used",
    ],
    ["a certificate without its key", { user: { "client-certificate-data": "aGVsbG8=" } }, "both are needed"],
    ["an account that no header can contain", { user: { token: "t", as: "a\nX-Evil: 1" } }, "that no header can carry"],
    [
      "a token that no header can contain",
      { user: { token: "a\nX-Evil: 1" } },
      "characters that are not allowed in a token",
    ],
  ])("is refused for %s", async (_what, options, said) => {
    const failure = failureOf(await delivered(api.kubeconfig(options)));
    expect(failure.code).toBe("invalid_credential");
    expect(failure.message).toContain(said);
  });

  test("is refused with both insecure-skip-tls-verify and an authority, and with another certificate's key", async () => {
    const cluster = { "certificate-authority-data": api.authorityData, "insecure-skip-tls-verify": true };
    expect(failureOf(await delivered(api.kubeconfig({ cluster }))).message).toContain("both");
    const { cert } = api.certificates.client;
    const { key } = api.certificates.foreignClient;
    const user = clientCertificate({ cert, key });
    expect(failureOf(await delivered(api.kubeconfig({ user }))).message).toContain(
      "client-certificate or client-key that cannot be used: KEY_VALUES_MISMATCH",
    );
  });
});
