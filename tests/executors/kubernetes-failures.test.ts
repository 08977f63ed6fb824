import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import type { JsonObject } from "../../schema/contract/json.ts";
import { eventually } from "../support/eventually.ts";
import { failureOf, outputOf } from "../support/executor-context.ts";
import { freePort } from "../support/free-port.ts";
import { startHttpProxy } from "../support/http-proxy.ts";
import { clientCertificate, type Intervention, KubernetesApi } from "../support/kubernetes-api/index.ts";
import { refusal } from "../support/kubernetes-api/requests.ts";
import { kubernetesExecutor } from "../support/kubernetes-executor.ts";

describe("Kubernetes failures", () => {
  let api: KubernetesApi;
  beforeAll(async () => {
    api = await KubernetesApi.start();
    api.state.deploy({ name: "web" });
  });
  afterAll(() => api.stop());
  afterEach(() => {
    api.intervene = () => null;
    api.requests.length = 0;
  });

  const restart = (kubeconfig: string, environment: Record<string, string> = {}) =>
    kubernetesExecutor({ environment }).run("restartDeployment", {
      secrets: { kubeconfig },
      params: { deployment: "web" },
    });
  const onPatch = (answer: Exclude<Intervention, null>) => {
    api.intervene = ({ method }) => (method === "PATCH" ? answer : null);
  };

  test("an unknown token is refused, and not repeated in the message", async () => {
    const failed = await restart(api.kubeconfig({ user: { token: "canary-token" } }));
    expect(failureOf(failed)).toMatchObject({ code: "authentication_failed" });
    expect(failureOf(failed).message).toContain(
      "It did not accept a token of context test of the delivered kubeconfig",
    );
    expect(JSON.stringify(failed)).not.toContain("canary-token");
  });

  test("an expired client certificate is named as the cause", async () => {
    const user = clientCertificate(api.certificates.endedClient);
    const failure = failureOf(await restart(api.kubeconfig({ user })));
    expect(failure.code).toBe("authentication_failed");
    expect(failure.message).toMatch(/The client certificate of context test .* expired on .* Deliver a new one/u);
  });

  test("a client certificate of another authority is refused, and so is a kubeconfig without a credential", async () => {
    const user = clientCertificate(api.certificates.foreignClient);
    expect(failureOf(await restart(api.kubeconfig({ user }))).code).toBe("authentication_failed");
    const anonymous = failureOf(await restart(api.kubeconfig({ user: {} })));
    expect(anonymous).toMatchObject({ code: "authentication_failed" });
    expect(anonymous.message).toContain("has no credential");
  });

  test("a 403 quotes the API's verb and resource", async () => {
    onPatch(
      refusal(
        403,
        "Forbidden",
        'deployments.apps "web" is forbidden: User "alice" cannot patch resource "deployments"',
      ),
    );
    const failed = await restart(api.kubeconfig());
    expect(failureOf(failed).code).toBe("permission_denied");
    expect(failureOf(failed).message).toContain(
      'User "alice" cannot patch resource "deployments". Give this account the right',
    );
    expect(outputOf(failed)).toMatchObject({ statusCode: 403, body: { reason: "Forbidden" } });
  });

  test.each([
    [408, "Timeout", "outcome_unknown"],
    [409, "Conflict", "conflict"],
    [422, "Invalid", "rejected"],
    [500, "InternalError", "outcome_unknown"],
    [503, "ServiceUnavailable", "outcome_unknown"],
    [418, "Teapot", "http_status"],
  ])("%d %s to a change is %s", async (status, reason, code) => {
    onPatch(refusal(status, reason, "because it is so"));
    const failed = await restart(api.kubeconfig());
    expect(failureOf(failed).code).toBe(code);
    expect(failureOf(failed).message).toContain(`answered ${status}: because it is so.`);
    expect(outputOf(failed)).toMatchObject({ statusCode: status });
  });

  test.each([
    [403, "permission_denied", "Give this account the right"],
    [404, "not_found", "Check the name"],
    [503, "outcome_unknown", "It is not known whether the restart was begun"],
  ])("an answer of %d that stalls after its head is judged by its status", async (stall, code, said) => {
    onPatch({ stall });
    const job = { secrets: { kubeconfig: api.kubeconfig() }, params: { deployment: "web" } };
    const failed = await kubernetesExecutor({ answerTimeoutMs: 2_000 }).run("restartDeployment", job);
    expect(failureOf(failed).code).toBe(code);
    expect(failureOf(failed).message).toContain(`answered ${stall}. ${said}`);
    await eventually("the answer is no longer read", () => api.hanging === 0);
  });

  test("an endless refusal is not read to its end", async () => {
    onPatch({ status: 403, body: "x".repeat(1_000_000) });
    expect(failureOf(await restart(api.kubeconfig())).code).toBe("permission_denied");
  });

  describe("an unreadable answer to a change says that the change may have been made", () => {
    const unknown = "It is not known whether the restart was begun";
    test.each([
      ["no Deployment", { status: 200, body: { kind: "Status" } }, "invalid_response"],
      ["no object", { status: 200, body: [1] }, "invalid_response"],
      ["fields of the wrong type", { status: 200, body: { metadata: { ownerReferences: 7 } } }, "invalid_response"],
      ["a stalling answer", { stall: 200 }, "no_answer"],
    ])("%s", async (_what, answer, code) => {
      onPatch(answer);
      const job = { secrets: { kubeconfig: api.kubeconfig() }, params: { deployment: "web" } };
      const failure = failureOf(await kubernetesExecutor({ answerTimeoutMs: 2_000 }).run("restartDeployment", job));
      expect(failure.code).toBe(code);
      expect(failure.message).toContain(unknown);
    });

    const scale = async (body: JsonObject) => {
      onPatch({ status: 200, body });
      const job = { secrets: { kubeconfig: api.kubeconfig() }, params: { deployment: "web", replicas: 5 } };
      return failureOf(await kubernetesExecutor().run("scaleDeployment", job));
    };
    test("no Scale", async () => {
      const failure = await scale({ kind: "Status" });
      expect(failure.code).toBe("invalid_response");
      expect(failure.message).toContain("It is not known whether the deployment was scaled");
    });
    test("a Scale with another number is refused with that number", async () => {
      const failure = await scale({ kind: "Scale", metadata: { name: "web" }, spec: { replicas: 3 } });
      expect(failure.code).toBe("rejected");
      expect(failure.message).toContain("was asked to have 5 replicas");
      expect(failure.message).toContain("made them 3");
    });
  });

  test("a server error on a read leaves no doubt about changes", async () => {
    api.intervene = () => refusal(500, "InternalError", "etcd is away");
    expect(failureOf(await restart(api.kubeconfig())).code).toBe("http_status");
  });

  test("a 429 is retried after the API's Retry-After", async () => {
    let refused = 0;
    api.intervene = ({ method }) =>
      method === "PATCH" && (refused += 1) === 1
        ? refusal(429, "TooManyRequests", "slow down", { "retry-after": "0" })
        : null;
    expect(await restart(api.kubeconfig())).toMatchObject({ status: "succeeded" });
    expect(refused).toBe(2);
  });

  test("a 429 with a wait beyond the job's time fails with that time", async () => {
    onPatch(refusal(429, "TooManyRequests", "slow down", { "retry-after": "900" }));
    const failure = failureOf(await restart(api.kubeconfig()));
    expect(failure.code).toBe("rate_limited");
    expect(failure.message).toContain("It asks to wait 900 s");
  });

  test("a 429 without a wait is not flooded", async () => {
    onPatch(refusal(429, "TooManyRequests", "slow down", { "retry-after": "0" }));
    const job = { secrets: { kubeconfig: api.kubeconfig() }, params: { deployment: "web" }, timeoutMs: 3_500 };
    const failure = failureOf(await kubernetesExecutor({}).run("restartDeployment", job));
    expect(failure.code).toBe("rate_limited");
    expect(api.requests.filter(({ method }) => method === "PATCH").length).toBeLessThanOrEqual(3);
  });

  test("a connection that ends before the answer leaves the outcome unknown", async () => {
    onPatch("close");
    const failure = failureOf(await restart(api.kubeconfig()));
    expect(failure.code).toBe("connection_lost");
    expect(failure.message).toContain("It is not known whether the restart was begun");
  });

  test("a missing answer leaves the outcome unknown", async () => {
    api.intervene = ({ method }) => (method === "PATCH" ? "hang" : null);
    const params = { deployment: "web" };
    const hasty = kubernetesExecutor({ answerTimeoutMs: 2_000 });
    const failure = failureOf(
      await hasty.run("restartDeployment", { secrets: { kubeconfig: api.kubeconfig() }, params }),
    );
    expect(failure.code).toBe("no_answer");
    expect(failure.message).toContain("did not answer within 2 s. It is not known whether the restart was begun");
    await eventually("the request is over", () => api.hanging === 0);
  });

  test("a port that accepts and stays silent is a TLS error, and nothing was sent", async () => {
    using silent = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data: () => undefined } });
    const kubeconfig = api.kubeconfig({ server: `https://127.0.0.1:${silent.port}` });
    const hasty = kubernetesExecutor({ answerTimeoutMs: 2_000 });
    const failure = failureOf(await hasty.run("deletePod", { secrets: { kubeconfig }, params: { pod: "web-0" } }));
    expect(failure.code).toBe("tls_error");
    expect(failure.message).toContain("Nothing was sent.");
    const checks = await hasty.test({ secrets: { kubeconfig } });
    expect(checks.map(({ name, ok }) => [name, ok])).toEqual([
      ["Kubeconfig", true],
      ["TCP connection", true],
      ["TLS", false],
    ]);
  });

  test("a port where nothing listens is unreachable", async () => {
    const failure = failureOf(await restart(api.kubeconfig({ server: `https://127.0.0.1:${await freePort()}` })));
    expect(failure).toMatchObject({ code: "unreachable" });
    expect(failure.message).toContain("refused the connection");
  });

  describe("a server that is not the Kubernetes API", () => {
    const answered = async (response: () => Response) => {
      await using server = Bun.serve({
        hostname: "127.0.0.1",
        port: 0,
        tls: api.certificates.server,
        fetch: response,
      });
      return failureOf(await restart(api.kubeconfig({ server: `https://127.0.0.1:${server.port}` })));
    };

    test.each([
      ["an HTML page", () => new Response("<html>Welcome</html>")],
      ["another JSON object", () => Response.json({ hello: "world" })],
      ["a list", () => Response.json([1])],
      ["a plain 404", () => new Response("404 page not found", { status: 404 })],
    ])("is recognized by its answer: %s", async (_what, response) => {
      const failure = await answered(response);
      expect(failure.code).toBe("invalid_response");
      expect(failure.message).toContain("is not the API of a Kubernetes cluster");
    });

    test("a redirect is not followed, because the credential would go with it", async () => {
      const headers = { location: "https://login.example.com/" };
      const failure = await answered(() => new Response(null, { status: 302, headers }));
      expect(failure.code).toBe("redirect_not_followed");
    });

    test("a server address with a path keeps that path", async () => {
      const paths: string[] = [];
      await using server = Bun.serve({
        hostname: "127.0.0.1",
        port: 0,
        tls: api.certificates.server,
        fetch: ({ url }) => {
          paths.push(new URL(url).pathname);
          return new Response("", { status: 503 });
        },
      });
      await restart(api.kubeconfig({ server: `https://127.0.0.1:${server.port}/k8s/clusters/c-1/` }));
      expect(paths).toEqual(["/k8s/clusters/c-1/apis/apps/v1/namespaces/default/deployments/web"]);
    });

    test("a port that does not speak TLS is a TLS error", async () => {
      await using server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response("") });
      const failure = failureOf(await restart(api.kubeconfig({ server: `https://127.0.0.1:${server.port}` })));
      expect(failure.code).toBe("tls_error");
    });
  });

  describe("proxies", () => {
    test("HTTPS_PROXY is used, NO_PROXY excepts networks, and proxy-url takes precedence over both", async () => {
      const proxy = await startHttpProxy({ targetPort: api.port });
      try {
        const HTTPS_PROXY = `http://127.0.0.1:${proxy.port}`;
        expect(await restart(api.kubeconfig(), { HTTPS_PROXY })).toMatchObject({ status: "succeeded" });
        expect(proxy.heads.every((head) => head.startsWith(`CONNECT 127.0.0.1:${api.port} `))).toBe(true);
        expect(proxy.heads.length).toBeGreaterThan(0);
        proxy.heads.length = 0;
        const except = { HTTPS_PROXY, NO_PROXY: "127.0.0.0/8" };
        expect(await restart(api.kubeconfig(), except)).toMatchObject({ status: "succeeded" });
        expect(proxy.heads).toEqual([]);
        const cluster: JsonObject = { "certificate-authority-data": api.authorityData, "proxy-url": HTTPS_PROXY };
        expect(await restart(api.kubeconfig({ cluster }), except)).toMatchObject({ status: "succeeded" });
        expect(proxy.heads.length).toBeGreaterThan(0);
      } finally {
        await proxy.close();
      }
    });

    test("a proxy-url that needs a login is named in the error, and the agent's own proxy is not", async () => {
      const proxy = await startHttpProxy({ targetPort: api.port, authorization: "Basic none" });
      try {
        const url = `http://user:pw-canary@127.0.0.1:${proxy.port}`;
        const cluster: JsonObject = { "certificate-authority-data": api.authorityData, "proxy-url": url };
        const { code, message } = failureOf(await restart(api.kubeconfig({ cluster })));
        expect(code).toBe("unreachable");
        expect(message).toContain("proxy-url of the kubeconfig");
        expect(message).not.toMatch(/HTTPS_PROXY|canary/u);
      } finally {
        await proxy.close();
      }
    });
  });
});
