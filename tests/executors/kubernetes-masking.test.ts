import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { KubernetesApi } from "../support/kubernetes-api/index.ts";
import { refusal } from "../support/kubernetes-api/requests.ts";
import { runJob } from "../support/run-job.ts";

const TOKEN = "sa-canary-token-0123456789";
const PASSWORD = "pa55-canary";
const BASIC = Buffer.from(`admin:${PASSWORD}`).toString("base64");
const KEY = "-----BEGIN PRIVATE KEY-----\nY2FuYXJ5LWtleS1saW5l\n-----END PRIVATE KEY-----\n";
const KEY_DATA = Buffer.from(KEY).toString("base64");

describe("masking of a kubeconfig", () => {
  let api: KubernetesApi;
  beforeAll(async () => {
    api = await KubernetesApi.start();
  });
  afterAll(() => api.stop());

  /** A kubeconfig in block style, with `user` after the key `user:`. */
  const kubeconfigWith = (user: string): string =>
    [
      "apiVersion: v1",
      "kind: Config",
      "current-context: test",
      `clusters: [{name: c, cluster: {server: "${api.url}", certificate-authority-data: ${api.authorityData}}}]`,
      "contexts: [{name: test, context: {cluster: c, user: u}}]",
      "users:",
      "- name: u",
      `  user:${user}`,
      `- {name: other, user: {token: other-${TOKEN}}}`,
      "",
    ].join("\n");

  const echoes = async (kubeconfig: string, canary: string): Promise<void> => {
    const about = (action: string) =>
      ({ type: "kubernetes", secrets: { kubeconfig }, action, params: { pod: "p", container: "app" } }) as const;
    api.intervene = () => refusal(500, "InternalError", `before ${canary} after`);
    const failed = await runJob({ ...about("kubernetes.deletePod"), params: { pod: "p" } });
    expect(failed.status).toBe("failed");
    expect(failed.error?.message).toMatch(/before .*\*\*\*.* after/u);
    expect(JSON.stringify(failed)).not.toContain(canary);
    api.intervene = () => ({
      status: 200,
      log: { text: `before ${canary} after\n` },
      tailLines: null,
      previous: false,
    });
    const read = await runJob(about("kubernetes.getLogs"));
    expect(read).toMatchObject({ status: "succeeded" });
    expect(read.output?.["stdout"]).toMatch(/before [^]*\*\*\*[^]* after/u);
    expect(JSON.stringify(read)).not.toContain(JSON.stringify(canary).slice(1, -1));
  };

  test.each([
    ["a token in block style", `\n    token: ${TOKEN}`, TOKEN],
    ["a token in flow style", ` {token: ${TOKEN}, as: x}`, TOKEN],
    ["a folded token", `\n    token: >-\n      ${TOKEN}`, TOKEN],
    ["a token with escapes", `\n    token: "sa\\x2dcanary\\u002dtoken-0123456789"`, TOKEN],
    ["a token on the next line", `\n    token:\n      ${TOKEN}`, TOKEN],
    ["a token with an anchor", `\n    token: &t ${TOKEN}`, TOKEN],
    ["a password", `\n    username: admin\n    password: ${PASSWORD}`, PASSWORD],
    ["user and password as HTTP Basic", `\n    username: admin\n    password: ${PASSWORD}`, BASIC],
    ["the same in flow style on one line", ` {username: admin, password: ${PASSWORD}}`, BASIC],
    ["a password among others on one line", ` {password: ${PASSWORD}, username: admin}`, PASSWORD],
    ["the token of another user", ` {token: x}`, `other-${TOKEN}`],
  ])("hides %s in a log and in an error", async (_what, user, canary) => {
    await echoes(kubeconfigWith(user), canary);
  });

  test("hides a client key, encoded and decoded", async () => {
    const { cert, key } = api.certificates.client;
    const [certData, keyData] = [cert, key].map((pem) => Buffer.from(pem).toString("base64"));
    const kubeconfig = kubeconfigWith(` {client-certificate-data: ${certData}, client-key-data: ${keyData}}`);
    await echoes(kubeconfig, String(keyData));
    await echoes(kubeconfig, key.split("\n")[1] ?? "");
  });

  test("hides the key of a user outside the context", async () => {
    const kubeconfig = kubeconfigWith(" {token: x}").concat(`- {name: k, user: {client-key-data: ${KEY_DATA}}}\n`);
    await echoes(kubeconfig, KEY_DATA);
    await echoes(kubeconfig, "Y2FuYXJ5LWtleS1saW5l");
  });

  test("hides the password of a proxy, and the login that is sent to the proxy", async () => {
    const kubeconfig = kubeconfigWith(" {token: x}")
      .concat("- name: unused\n")
      .replace(
        "clusters: [",
        "clusters: [{name: p, cluster: {server: x, proxy-url: 'http://ann:pr0xy%2Dcanary@h:1'}}, ",
      );
    await echoes(kubeconfig, "pr0xy-canary");
    await echoes(kubeconfig, Buffer.from("ann:pr0xy-canary").toString("base64"));
  });
});
