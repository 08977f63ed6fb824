import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { JsonObject } from "../../schema/contract/json.ts";
import { failureOf } from "../support/executor-context.ts";
import { base64, KubernetesApi } from "../support/kubernetes-api/index.ts";
import { kubernetesExecutor } from "../support/kubernetes-executor.ts";

describe("Kubernetes login", () => {
  let api: KubernetesApi;
  let directory: string;
  const params = { pod: "web-0" };
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
  const onAgent = async (kubeconfig: string, more: JsonObject = {}) =>
    executor.run("getLogs", { config: { kubeconfigPath: await file("config", kubeconfig), ...more }, params });
  const delivered = (kubeconfig: string, config: JsonObject = {}) =>
    executor.run("getLogs", { secrets: { kubeconfig }, config, params });

  describe("by a kubeconfig from the vault", () => {
    test("works with a client certificate", async () => {
      expect(await delivered(api.kubeconfig())).toMatchObject({ status: "succeeded" });
      expect(api.requests[0]?.authorization).toBeNull();
    });

    test("works with a token", async () => {
      expect(await delivered(api.kubeconfig({ user: { token: api.token } }))).toMatchObject({ status: "succeeded" });
    });

    test("works as another user in several groups", async () => {
      const user = { token: api.token, as: "deployer", "as-groups": ["ops", "night, shift"] };
      expect(await delivered(api.kubeconfig({ user }))).toMatchObject({ status: "succeeded" });
      expect(api.requests[0]?.impersonated).toEqual({ user: "deployer", groups: ["ops", "night, shift"] });
    });

    test("works with a certificate for another name (tls-server-name)", async () => {
      const cluster = { "certificate-authority-data": api.authorityData, "tls-server-name": "kubernetes" };
      expect(await delivered(api.kubeconfig({ cluster }))).toMatchObject({ status: "succeeded" });
      const wrong = { ...cluster, "tls-server-name": "another.example.com" };
      expect(failureOf(await delivered(api.kubeconfig({ cluster: wrong }))).code).toBe("tls_error");
    });

    test("works with a server scheme in capital letters, or without one", async () => {
      for (const server of [api.url.replace("https", "HTTPS"), api.url.replace("https://", "")]) {
        expect(await delivered(api.kubeconfig({ server }))).toMatchObject({ status: "succeeded" });
      }
    });

    test("fails when another authority signed the server's certificate, unless it is insecure", async () => {
      const foreign = { "certificate-authority-data": base64(api.certificates.foreignAuthority) };
      const failure = failureOf(await delivered(api.kubeconfig({ cluster: foreign })));
      expect(failure.code).toBe("tls_error");
      expect(failure.message).toContain("certificate-authority-data");
      expect(failureOf(await delivered(api.kubeconfig({ cluster: {} }))).code).toBe("tls_error");
      expect(api.requests).toEqual([]);
      const insecure = { "insecure-skip-tls-verify": true };
      expect(await delivered(api.kubeconfig({ cluster: insecure }))).toMatchObject({ status: "succeeded" });
    });

    test("uses the connection's context, which must exist", async () => {
      const kubeconfig: JsonObject = JSON.parse(api.kubeconfig());
      const lost = { ...kubeconfig, "current-context": "gone" };
      expect(await delivered(JSON.stringify(lost), { context: "test" })).toMatchObject({ status: "succeeded" });
      const current = failureOf(await delivered(JSON.stringify(lost)));
      expect(current.message).toContain("does not have its current context gone. It has: test.");
      const named = failureOf(await delivered(JSON.stringify(kubeconfig), { context: "prod" }));
      expect(named).toMatchObject({ code: "invalid_credential" });
      expect(named.message).toContain("does not have a context prod. It has: test.");
    });

    test("ignores its other users and clusters", async () => {
      const kubeconfig: { users: JsonObject[]; clusters: JsonObject[]; contexts: JsonObject[] } = JSON.parse(
        api.kubeconfig(),
      );
      kubeconfig.users.unshift({ name: "strange", user: { token: 7 } }, { name: "exec", user: { exec: {} } });
      kubeconfig.clusters.unshift({ name: "strange", cluster: { address: "elsewhere" } }, { name: "empty" });
      kubeconfig.contexts.unshift({ name: "strange", context: { cluster: "strange", user: "strange" } });
      const text = JSON.stringify(kubeconfig);
      expect(await delivered(text)).toMatchObject({ status: "succeeded" });
      const chosen = failureOf(await delivered(text, { context: "strange" }));
      expect(chosen.code).toBe("invalid_credential");
      expect(chosen.message).toContain("lacks the cluster strange with its server, of its context strange");
    });

    test("fails with an empty delivered token", async () => {
      const kubeconfigPath = await file("for-empty-token", api.kubeconfig());
      const failed = await executor.run("getLogs", { secrets: { token: "" }, config: { kubeconfigPath }, params });
      expect(failureOf(failed).code).toBe("invalid_credential");
    });
  });

  describe("by a kubeconfig on the agent's host", () => {
    test("reads files beside the kubeconfig", async () => {
      await file("ca.pem", api.certificates.authority);
      await file("token.txt", `${api.token}\n`);
      const kubeconfig = api.kubeconfig({
        cluster: { "certificate-authority": "ca.pem" },
        user: { tokenFile: "token.txt" },
      });
      expect(await onAgent(kubeconfig)).toMatchObject({ status: "succeeded" });
      await file("client.pem", api.certificates.client.cert);
      await file("client.key", api.certificates.client.key);
      const user = { "client-certificate": "client.pem", "client-key": join(directory, "client.key") };
      expect(await onAgent(api.kubeconfig({ user }))).toMatchObject({ status: "succeeded" });
    });

    test("gets the token from its program, with its variables and without the agent's key", async () => {
      const plugin = await file(
        "plugin.sh",
        `#!/bin/sh\necho "$KUBERNETES_EXEC_INFO" > "${directory}/info"\nenv > "${directory}/env"\n` +
          `echo '{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":{"token":"'"$WANTED"'"}}'\n`,
      );
      await chmod(plugin, 0o700);
      const exec = {
        apiVersion: "client.authentication.k8s.io/v1",
        command: "./plugin.sh",
        env: [{ name: "WANTED", value: api.token }],
        interactiveMode: "IfAvailable",
        provideClusterInfo: true,
      };
      process.env["AGENT_KEY"] = "bh-canary";
      try {
        expect(await onAgent(api.kubeconfig({ user: { exec } }))).toMatchObject({ status: "succeeded" });
      } finally {
        delete process.env["AGENT_KEY"];
      }
      expect(await Bun.file(join(directory, "info")).json()).toMatchObject({
        kind: "ExecCredential",
        spec: { interactive: false, cluster: { server: api.url } },
      });
      expect(await Bun.file(join(directory, "env")).text()).not.toContain("bh-canary");
    });

    test.each([
      [
        "is not installed",
        { command: "no-such-plugin", installHint: "Install it from the vendor." },
        "is not installed. Install it from the vendor.",
      ],
      ["fails", { command: "sh", args: ["-c", "echo no session >&2; exit 3"] }, "ended with exit code 3: no session."],
      ["prints something else", { command: "echo", args: ["canary-token"] }, "did not print an ExecCredential"],
      [
        "prints no credential",
        { command: "echo", args: ['{"kind":"ExecCredential","status":{}}'] },
        "did not print an ExecCredential with a token",
      ],
    ])("fails when its program %s", async (_what, given, said) => {
      const exec = { apiVersion: "client.authentication.k8s.io/v1", ...given };
      const failure = failureOf(await onAgent(api.kubeconfig({ user: { exec } })));
      expect(failure.code).toBe("invalid_credential");
      expect(failure.message).toContain(said);
      expect(failure.message).not.toContain("canary-token");
    });

    test("uses the delivered token instead of its user", async () => {
      const kubeconfigPath = await file(
        "server-only",
        api.kubeconfig({ user: { exec: { apiVersion: "x", command: "false" } } }),
      );
      const job = { secrets: { token: api.token }, config: { kubeconfigPath }, params };
      expect(await executor.run("getLogs", job)).toMatchObject({ status: "succeeded" });
    });

    test("needs an absolute path to a readable file", async () => {
      const at = async (kubeconfigPath: string) =>
        failureOf(await executor.run("getLogs", { config: { kubeconfigPath }, params }));
      expect(await at(join(directory, "nowhere"))).toMatchObject({ code: "invalid_credential" });
      expect((await at(join(directory, "nowhere"))).message).toContain("does not exist on the agent's host");
      expect((await at("/dev/zero")).message).toContain("is not a file");
      expect(await at("config")).toMatchObject({ code: "invalid_config" });
    });
  });

  describe("inside a cluster", () => {
    test("uses the pod's service account, whose token is read for each job", async () => {
      await file("ca.crt", api.certificates.authority);
      await file("token", "old");
      const environment = { KUBERNETES_SERVICE_HOST: "127.0.0.1", KUBERNETES_SERVICE_PORT: String(api.port) };
      const inside = kubernetesExecutor({ environment, serviceAccountDirectory: directory });
      const refused = failureOf(await inside.run("getLogs", { params }));
      expect(refused.code).toBe("authentication_failed");
      expect(refused.message).toContain("Check the service account of the agent's pod.");
      await file("token", api.token);
      expect(await inside.run("getLogs", { params })).toMatchObject({ status: "succeeded" });
      await file("token", "another");
      const job = { secrets: { token: api.token }, params };
      expect(await inside.run("getLogs", job)).toMatchObject({ status: "succeeded" });
    });

    test("elsewhere and without a credential, says what to deliver", async () => {
      expect(failureOf(await executor.run("getLogs", { params }))).toMatchObject({ code: "credential_missing" });
      const alone = failureOf(await executor.run("getLogs", { secrets: { token: "t" }, params }));
      expect(alone).toMatchObject({ code: "invalid_config" });
      expect(alone.message).toContain("Set kubeconfigPath");
    });
  });
});
