import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import type { JsonObject } from "../../schema/contract/json.ts";
import { failureOf, outputOf } from "../support/executor-context.ts";
import { type Intervention, KubernetesApi } from "../support/kubernetes-api/index.ts";
import { kubernetesExecutor } from "../support/kubernetes-executor.ts";

describe("a 200 must contain the requested object", () => {
  let api: KubernetesApi;
  beforeAll(async () => {
    api = await KubernetesApi.start();
    api.state.deploy({ name: "web" });
    api.state.deploy({ name: "other" });
    api.state.addPod("web-0");
    api.state.addPod("other-0");
  });
  afterAll(() => api.stop());
  afterEach(() => {
    api.intervene = () => null;
  });

  const run = async (action: string, params: JsonObject) =>
    await kubernetesExecutor().run(action, { secrets: { kubeconfig: api.kubeconfig() }, params });
  const answering = (method: string, answer: Exclude<Intervention, null>) => {
    api.intervene = (request) => (request.method === method ? answer : null);
  };
  const other = (kind: string): JsonObject => ({ kind, metadata: { name: "other" }, spec: { replicas: 3 } });
  const pod = { pod: "web-0" };
  const deployment = { deployment: "web" };

  test.each([
    ["any JSON object", "deletePod", pod, "DELETE", { hello: "world" }],
    ["the request itself", "deletePod", pod, "DELETE", { apiVersion: "v1", kind: "DeleteOptions" }],
    ["another Pod", "deletePod", pod, "DELETE", other("Pod")],
    ["a Status of another Pod", "deletePod", pod, "DELETE", success("other-0")],
    ["a Status without a name", "deletePod", pod, "DELETE", { kind: "Status", status: "Success" }],
    ["a Status of a failure", "deletePod", pod, "DELETE", { ...success("web-0"), status: "Failure" }],
    ["another Scale", "scaleDeployment", { ...deployment, replicas: 3 }, "PATCH", other("Scale")],
  ])("%s is refused as answer to %s", async (_what, action, params, method, body) => {
    answering(method, { status: 200, body });
    const failure = failureOf(await run(action, params));
    expect(failure.code).toBe("invalid_response");
    expect(failure.message).toContain("is not known");
  });

  test.each([
    ["restartDeployment", "PATCH"],
    ["restartDeployment", "GET"],
    ["rollbackDeployment", "GET"],
    ["scaleDeployment", "GET"],
  ])("another Deployment is refused as answer to %s (%s)", async (action, method) => {
    const body = api.state.deployments.get("default/other") ?? {};
    answering(method, { status: 200, body });
    const failure = failureOf(
      await run(action, action === "scaleDeployment" ? { ...deployment, replicas: 3 } : deployment),
    );
    expect(failure.code).toBe("invalid_response");
    expect(failure.message).toContain("its answer is not the Deployment web");
  });

  test("another Pod is refused when the container of a log is looked up", async () => {
    api.intervene = ({ path }) =>
      path.endsWith("/log") ? null : { status: 200, body: api.state.pods.get("default/other-0") ?? {} };
    expect(failureOf(await run("getLogs", pod)).code).toBe("invalid_response");
  });

  test.each(["application/json", "text/html; charset=utf-8", "application/problem+json"])(
    "%s is refused as a log, and not shown",
    async (type) => {
      api.intervene = ({ path }) =>
        path.endsWith("/log") ? { status: 200, body: { hello: "world" }, headers: { "content-type": type } } : null;
      const failed = await run("getLogs", { ...pod, container: "app" });
      expect(failureOf(failed).code).toBe("invalid_response");
      expect(JSON.stringify(failed)).not.toContain("hello");
    },
  );

  test("a Status of the Pod is accepted for an immediate deletion", async () => {
    answering("DELETE", { status: 200, body: success("web-0") });
    expect(outputOf(await run("deletePod", pod))).toMatchObject({ body: { name: "web-0", uid: "u-1" } });
  });
});

/** The API server's answer for an object that is gone immediately. */
function success(name: string): JsonObject {
  return {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Success",
    details: { name, kind: "pods", uid: "u-1" },
  };
}
