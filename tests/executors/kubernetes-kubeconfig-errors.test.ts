import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { JsonObject } from "../../schema/contract/json.ts";
import { failureOf } from "../support/executor-context.ts";
import { KubernetesApi } from "../support/kubernetes-api/index.ts";
import { kubernetesExecutor } from "../support/kubernetes-executor.ts";

describe("the error for an unusable kubeconfig names the cause", () => {
  let api: KubernetesApi;
  let directory: string;
  const params = { pod: "web-0" };
  const executor = kubernetesExecutor();

  beforeAll(async () => {
    api = await KubernetesApi.start();
    directory = await mkdtemp(join(tmpdir(), "bellhop-kubeconfig-"));
  });
  afterAll(async () => {
    await api.stop();
    await rm(directory, { recursive: true, force: true });
  });

  const file = async (fileName: string, text: string): Promise<string> => {
    const path = join(directory, fileName);
    await writeFile(path, text);
    return path;
  };
  const onAgent = async (kubeconfig: string) =>
    await executor.run("getLogs", { config: { kubeconfigPath: await file("config", kubeconfig) }, params });
  const delivered = (kubeconfig: string) => executor.run("getLogs", { secrets: { kubeconfig }, params });

  test.each([
    ["a flow mapping that is broken", "{{{:: nope", "is not YAML: line 1 cannot be read"],
    [
      "an error below a context",
      `current-context: c\ncontexts:\n- {name: c, context: {cluster: "c}\nsecret-line: x`,
      "It may be cut off",
    ],
    ["a file that ends too early", "apiVersion: v1\nclusters:\n- cluster: {}\n  name: c\n", "has no contexts"],
    ["a current context without contexts", "current-context: c\n", "has no contexts"],
  ])("%s", async (_what, text, said) => {
    const failure = failureOf(await delivered(text));
    expect(failure.code).toBe("invalid_credential");
    expect(failure.message).toContain(said);
    expect(failure.message).not.toContain("secret-line");
  });

  test("the advice about unsupported fields suggests no refused field", async () => {
    const user = { "auth-provider": { name: "gcp" } };
    const here = failureOf(await delivered(api.kubeconfig({ user }))).message;
    expect(here).not.toMatch(/Use .*exec/u);
    const onHost = failureOf(await onAgent(api.kubeconfig({ user }))).message;
    expect(onHost).toEndWith("Use a token, a client certificate or exec.");
    const extra = failureOf(await delivered(api.kubeconfig({ user: { token: "t", "as-user-extra": { a: ["x"] } } })));
    expect(extra.message).toEndWith("Remove it.");
  });

  test.each([
    ["a file", "file:///etc/passwd", "has a server that is not an address such as https://api.example.com:6443"],
    ["another protocol", "ftp://127.0.0.1", "has a server that is not an address such as"],
    ["a user and password", "https://u-canary:p-canary@127.0.0.1", "has a user or password in the address"],
    ["a user", "u-canary@127.0.0.1", "has a user or password in the address"],
  ])("%s as server", async (_what, server, said) => {
    const failure = failureOf(await delivered(api.kubeconfig({ server })));
    expect(failure.code).toBe("invalid_credential");
    expect(failure.message).toContain(said);
    expect(failure.message).not.toContain("canary");
  });

  test("an unquoted token that YAML reads as a number", async () => {
    const failure = failureOf(await delivered(api.kubeconfig({ user: { token: 12_345_678 } })));
    expect(failure.code).toBe("invalid_credential");
    expect(failure.message).toContain("in the cluster or user of context test: token. Put a text");
    expect(failure.message).not.toContain("12345678");
  });

  test("an unknown user", async () => {
    const kubeconfig: JsonObject = JSON.parse(api.kubeconfig());
    const failure = failureOf(await delivered(JSON.stringify({ ...kubeconfig, users: [] })));
    expect(failure.message).toContain("lacks the user test-user of its context test");
  });

  test("a 401 says how to renew each kind of credential", async () => {
    const wrong = "wrong-canary";
    const status = { token: wrong };
    const printed = JSON.stringify({ apiVersion: "x", kind: "ExecCredential", status });
    const exec = { apiVersion: "x", command: "echo", args: [printed] };
    const kubeconfigPath = await file("for-wrong-token", api.kubeconfig());
    const job = { secrets: { token: wrong }, config: { kubeconfigPath }, params };
    const cases = [
      [await onAgent(api.kubeconfig({ user: { exec } })), "Run its credential plugin echo by hand"],
      [await onAgent(api.kubeconfig({ user: { token: wrong } })), "Put a new one into"],
      [await delivered(api.kubeconfig({ user: { token: wrong } })), "Deliver a new one."],
      [await executor.run("getLogs", job), "Deliver a new one."],
    ] as const;
    for (const [failed, said] of cases) {
      const { code, message } = failureOf(failed);
      expect(code).toBe("authentication_failed");
      expect(message).toContain(said);
      expect(message.includes("Deliver")).toBe(said.startsWith("Deliver"));
      expect(message).not.toContain("canary");
    }
  });
});
