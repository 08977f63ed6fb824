import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { freePort } from "../support/free-port.ts";
import { base64, KubernetesApi } from "../support/kubernetes-api/index.ts";
import { FullBacklog, fullBacklogMissing } from "../support/full-backlog.ts";
import { refusal } from "../support/kubernetes-api/requests.ts";
import { kubernetesExecutor } from "../support/kubernetes-executor.ts";

describe("the connection test of Kubernetes", () => {
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

  test("shows its checks with version, login and rights", async () => {
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

  test("passes when a right is missing or cannot be checked", async () => {
    api.state.forbidden.add("patch deployments shop");
    const [denied] = (await checks(api.kubeconfig())).slice(-1);
    api.state.forbidden.clear();
    expect(denied).toMatchObject({ name: "Permissions", ok: true });
    expect(denied?.detail).toContain("It may not patch deployments in namespace shop");
    api.intervene = ({ method }) =>
      method === "POST" ? refusal(403, "Forbidden", "cannot create selfsubjectaccessreviews") : null;
    const [unknown] = (await checks(api.kubeconfig())).slice(-1);
    expect(unknown).toMatchObject({ name: "Permissions", ok: true });
    expect(unknown?.detail).toContain("could not be checked");
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

  const hasty = async (kubeconfig: string) => {
    const all = await kubernetesExecutor({ answerTimeoutMs: 300 }).test({ secrets: { kubeconfig } });
    return { names: all.map((check) => `${check.name} ${check.ok ? "✓" : "✗"}`), detail: all.at(-1)?.detail ?? "" };
  };

  test.skipIf(fullBacklogMissing !== null)(
    `stops at TCP when packets are dropped${fullBacklogMissing === null ? "" : ` (skipped: ${fullBacklogMissing})`}`,
    async () => {
      const dropping = await FullBacklog.start();
      try {
        const { names, detail } = await hasty(api.kubeconfig({ server: `https://127.0.0.1:${dropping.port}` }));
        expect(names).toEqual(["Kubeconfig ✓", "TCP connection ✗"]);
        expect(detail).toBe(
          `The Kubernetes API at 127.0.0.1:${dropping.port} did not accept a connection within 0.3 s. Check host, port and the firewalls in between.`,
        );
      } finally {
        await dropping.stop();
      }
    },
  );

  test("stops at TCP when a proxy does not answer", async () => {
    using proxy = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data: () => undefined } });
    const cluster = {
      "certificate-authority-data": api.authorityData,
      "proxy-url": `http://ann:pr0xy-canary@127.0.0.1:${proxy.port}`,
    };
    const { names, detail } = await hasty(api.kubeconfig({ cluster }));
    expect(names).toEqual(["Kubeconfig ✓", "TCP connection ✗"]);
    expect(detail).toStartWith(
      `The Kubernetes API at 127.0.0.1:${api.port} was not reached through the proxy within 0.3 s.`,
    );
    expect(detail).not.toContain("pr0xy-canary");
  });

  test("stops at TLS when the connection is reset during the handshake", async () => {
    using resetting = Bun.listen({
      hostname: "127.0.0.1",
      port: 0,
      socket: { data: (socket) => void socket.terminate() },
    });
    const { names } = await hasty(api.kubeconfig({ server: `https://127.0.0.1:${resetting.port}` }));
    expect(names).toEqual(["Kubeconfig ✓", "TCP connection ✓", "TLS ✗"]);
  });

  test.each([200, 401, 403])("stops at authentication when an answer of %d stalls after its head", async (status) => {
    api.intervene = ({ method }) => (method === "GET" || status === 401 ? { stall: status } : null);
    const { names, detail } = await hasty(api.kubeconfig());
    if (status === 403) {
      // Some clusters do not publish their version.
      expect(names.at(-1)).toBe("Permissions ✓");
      return;
    }
    expect(names).toEqual(["Kubeconfig ✓", "TCP connection ✓", "TLS ✓", "Authentication ✗"]);
    expect(detail).toContain(status === 200 ? "did not answer within 0.3 s" : "answered 401. It did not accept");
  });

  test("stops at TLS", async () => {
    const cluster = { "certificate-authority-data": base64(api.certificates.foreignAuthority) };
    expect(await failing(api.kubeconfig({ cluster }))).toMatchObject({ name: "TLS" });
  });

  test("says when certificates are not verified", async () => {
    const all = await checks(api.kubeconfig({ cluster: { "insecure-skip-tls-verify": true } }));
    expect(all.find((check) => check.name === "TLS")?.detail).toContain("not verified");
  });

  test("stops at authentication even if anonymous callers may read the version", async () => {
    const wrong = await failing(api.kubeconfig({ user: { token: "wrong" } }));
    expect(wrong.name).toBe("Authentication");
    const anonymous = await failing(api.kubeconfig({ user: {} }));
    expect(anonymous.name).toBe("Authentication");
    expect(anonymous.detail).toContain("has no credential");
  });

  test("stops at authentication when the server is not a cluster", async () => {
    api.intervene = () => ({ status: 200, body: ["no"] });
    expect((await failing(api.kubeconfig())).detail).toContain("is not the API of a Kubernetes cluster");
  });

  const version = { major: "1", minor: "32", gitVersion: "v1.32.4" };
  const review = { kind: "SelfSubjectAccessReview" };
  test.each([
    ["any JSON object", 200, { hello: "world" }, { hello: "world" }],
    ["a version that is not a string", 200, { gitVersion: 7 }, { ...review, status: { allowed: true } }],
    ["only a version", 200, version, { hello: "world" }],
    ["a review without a decision", 200, version, review],
    ["a 403 that is not from Kubernetes", 403, { hello: "world" }, { hello: "world" }],
  ])("stops at authentication when a server answers every request with %s", async (_what, status, got, posted) => {
    api.intervene = ({ method }) => ({ status, body: method === "GET" ? got : posted });
    const { name, detail } = await failing(api.kubeconfig());
    expect(name).toBe("Authentication");
    expect(detail).toContain("is not the API of a Kubernetes cluster");
  });
});
