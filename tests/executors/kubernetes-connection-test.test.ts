import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { freePort } from "../support/free-port.ts";
import { base64, KubernetesApi, kubernetesApiMissing } from "../support/kubernetes-api.ts";
import { refusal } from "../support/kubernetes-api/requests.ts";
import { kubernetesExecutor } from "../support/kubernetes-executor.ts";

const name =
  kubernetesApiMissing === null ? "the connection test" : `the connection test (skipped: ${kubernetesApiMissing})`;
describe.skipIf(kubernetesApiMissing !== null)(name, () => {
  let api: KubernetesApi;
  beforeAll(async () => {
    api = await KubernetesApi.start();
  });
  afterAll(() => api.stop());
  afterEach(() => {
    api.intervene = () => null;
    api.requests.length = 0;
    expect(api.violations).toEqual([]);
  });

  const checks = (kubeconfig: string, config = {}) =>
    kubernetesExecutor().test({ secrets: { kubeconfig }, config: { namespace: "shop", ...config } });
  const failing = async (kubeconfig: string, config = {}) => {
    const all = await checks(kubeconfig, config);
    expect(all.slice(0, -1).every(({ ok }) => ok)).toBe(true);
    const last = all.at(-1);
    expect(last?.ok).toBe(false);
    return { name: last?.name, detail: last?.detail ?? "" };
  };

  test("names its checks and tells version, login and rights", async () => {
    expect(await checks(api.kubeconfig())).toEqual([
      {
        name: "Kubeconfig",
        ok: true,
        detail: `Context test of the delivered kubeconfig: ${api.url}, with a client certificate.`,
      },
      { name: "TCP connection", ok: true, detail: `127.0.0.1:${api.port} accepted the connection.` },
      {
        name: "TLS",
        ok: true,
        detail: "The certificate is valid for 127.0.0.1 and signed by the authority in the kubeconfig.",
      },
      { name: "Authentication", ok: true, detail: "Kubernetes v1.32.4. It accepted a client certificate." },
      { name: "Permissions", ok: true, detail: "It may patch deployments in namespace shop." },
    ]);
    expect(JSON.parse(api.requests.at(-1)?.body ?? "")).toMatchObject({
      spec: { resourceAttributes: { namespace: "shop", verb: "patch", group: "apps", resource: "deployments" } },
    });
  });

  test("does not fail for a right that is not there or cannot be asked for", async () => {
    const review = (body: ReturnType<typeof refusal>) => {
      api.intervene = ({ method }) => (method === "POST" ? body : null);
    };
    review({ status: 201, body: { kind: "SelfSubjectAccessReview", status: { allowed: false } } });
    const [denied] = (await checks(api.kubeconfig())).slice(-1);
    expect(denied).toMatchObject({ name: "Permissions", ok: true });
    expect(denied?.detail).toContain("It may not patch deployments in namespace shop");
    review(refusal(403, "Forbidden", "cannot create selfsubjectaccessreviews"));
    const [unknown] = (await checks(api.kubeconfig())).slice(-1);
    expect(unknown).toMatchObject({ name: "Permissions", ok: true });
    expect(unknown?.detail).toContain("could not be asked");
  });

  test("stops at the kubeconfig", async () => {
    expect(await failing(api.kubeconfig(), { context: "prod" })).toMatchObject({ name: "Kubeconfig" });
    const [missing] = await kubernetesExecutor().test({ secrets: null });
    expect(missing).toMatchObject({ name: "Kubeconfig", ok: false });
    expect(missing?.detail).toContain("Deliver a kubeconfig");
  });

  test("stops at TCP", async () => {
    const server = `https://127.0.0.1:${await freePort()}`;
    expect(await failing(api.kubeconfig({ server }))).toMatchObject({ name: "TCP connection" });
  });

  test("stops at TLS", async () => {
    const cluster = { "certificate-authority-data": base64(api.certificates.foreignAuthority) };
    expect(await failing(api.kubeconfig({ cluster }))).toMatchObject({ name: "TLS" });
  });

  test("says when nothing is verified", async () => {
    const all = await checks(api.kubeconfig({ cluster: { "insecure-skip-tls-verify": true } }));
    expect(all.find((check) => check.name === "TLS")?.detail).toContain("not verified");
  });

  test("stops at authentication, also when the version is told to everybody", async () => {
    const wrong = await failing(api.kubeconfig({ user: { token: "wrong" } }));
    expect(wrong.name).toBe("Authentication");
    const nobody = await failing(api.kubeconfig({ user: {} }));
    expect(nobody.name).toBe("Authentication");
    expect(nobody.detail).toContain("has no credential");
  });

  test("stops at authentication when what answers is no cluster", async () => {
    api.intervene = () => ({ status: 200, body: ["no"] });
    expect((await failing(api.kubeconfig())).detail).toContain("is not the API of a Kubernetes cluster");
  });
});
