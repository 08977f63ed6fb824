import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import type { JsonObject } from "../../schema/contract/json.ts";
import { STREAM_MAX_BYTES } from "../../schema/limits.ts";
import { eventually } from "../support/eventually.ts";
import { failureOf, outputOf, runAction, textOf } from "../support/executor-context.ts";
import { KubernetesApi } from "../support/kubernetes-api/index.ts";

describe("Kubernetes pods", () => {
  let api: KubernetesApi;
  beforeAll(async () => {
    api = await KubernetesApi.start();
  });
  afterAll(() => api.stop());
  afterEach(() => {
    api.requests.length = 0;
  });

  const run = (action: string, params: JsonObject, config: JsonObject = {}) =>
    runAction("kubernetes", `kubernetes.${action}`, { secrets: { kubeconfig: api.kubeconfig() }, params, config });

  describe("deletePod", () => {
    test("deletes the pod with its own grace period", async () => {
      api.state.addPod("gone");
      const output = outputOf(await run("deletePod", { pod: "gone" }));
      expect(output).toMatchObject({
        statusCode: 200,
        body: { name: "gone", namespace: "default", node: "node-1", gracePeriodSeconds: 30, owner: null },
      });
      expect(api.state.pods.get("default/gone")).toMatchObject({ metadata: { deletionGracePeriodSeconds: 30 } });
      api.state.endPods();
      expect(api.state.pods.has("default/gone")).toBe(false);
      expect(JSON.parse(api.requests[0]?.body ?? "")).toEqual({
        apiVersion: "v1",
        kind: "DeleteOptions",
        propagationPolicy: "Background",
      });
      expect(api.violations).toEqual([]);
    });

    test("with a grace period of 0 deletes immediately, as kubectl --force does", async () => {
      api.state.addPod("now", { namespace: "shop" });
      const output = outputOf(await run("deletePod", { pod: "now", gracePeriodSeconds: 0 }, { namespace: "shop" }));
      expect(output).toMatchObject({ body: { namespace: "shop", gracePeriodSeconds: 0 } });
      expect(api.state.pods.has("shop/now")).toBe(false);
      expect(JSON.parse(api.requests[0]?.body ?? "")).toMatchObject({ gracePeriodSeconds: 0 });
    });

    test("fails with the namespace when the pod does not exist", async () => {
      const failed = await run("deletePod", { pod: "absent", namespace: "shop" });
      expect(failureOf(failed)).toMatchObject({ code: "not_found" });
      expect(failureOf(failed).message).toStartWith(
        `Pod absent in namespace shop: the API at 127.0.0.1:${api.port} answered 404: pods "absent" not found.`,
      );
      expect(outputOf(failed)).toMatchObject({ statusCode: 404, body: { reason: "NotFound" } });
    });
  });

  describe("getLogs", () => {
    test("returns the log of the only container", async () => {
      api.state.addPod("one");
      api.state.logs.set("default/one/app", { text: "first\nsecond\n" });
      expect(outputOf(await run("getLogs", { pod: "one" }))).toEqual({
        stdout: "first\nsecond\n",
        statusCode: 200,
        body: { pod: "one", namespace: "default", container: "app" },
      });
    });

    test("passes tail, since, container and previous on", async () => {
      api.state.addPod("two", { containers: [{ name: "app" }, { name: "sidecar" }] });
      api.state.logs.set("default/two/sidecar", { text: "a\nb\nc\n", previous: "x\ny\nz\n" });
      const params = { pod: "two", container: "sidecar", tailLines: 2, sinceSeconds: 60, previous: true };
      expect(outputOf(await run("getLogs", params))).toMatchObject({ stdout: "y\nz\n" });
      expect(Object.fromEntries(api.requests.at(-1)?.query ?? [])).toEqual({
        container: "sidecar",
        tailLines: "2",
        sinceSeconds: "60",
        previous: "true",
      });
      expect(api.violations).toEqual([]);
    });

    test("leaves out lines older than requested", async () => {
      api.state.addPod("aged");
      api.state.logs.set("default/aged/app", { old: "an hour ago\n", text: "now\n" });
      expect(outputOf(await run("getLogs", { pod: "aged" }))).toMatchObject({ stdout: "an hour ago\nnow\n" });
      expect(outputOf(await run("getLogs", { pod: "aged", sinceSeconds: 60 }))).toMatchObject({ stdout: "now\n" });
    });

    test("lists the containers when the pod has several and none is named", async () => {
      api.state.addPod("many", { containers: [{ name: "app" }, { name: "sidecar" }] });
      expect(failureOf(await run("getLogs", { pod: "many" }))).toEqual({
        code: "container_required",
        message:
          "Pod many in namespace default has several containers: app, sidecar. Name one in the action's container.",
      });
    });

    test("uses the pod's default container", async () => {
      const annotations = { "kubectl.kubernetes.io/default-container": "sidecar" };
      api.state.addPod("default-one", { containers: [{ name: "app" }, { name: "sidecar" }], annotations });
      api.state.logs.set("default/default-one/sidecar", { text: "mesh\n" });
      expect(outputOf(await run("getLogs", { pod: "default-one" }))).toMatchObject({
        stdout: "mesh\n",
        body: { container: "sidecar" },
      });
    });

    test("quotes the API when the container or its previous run does not exist", async () => {
      api.state.addPod("fresh");
      const unknown = failureOf(await run("getLogs", { pod: "fresh", container: "absent" }));
      expect(unknown).toMatchObject({ code: "rejected" });
      expect(unknown.message).toContain("container absent is not valid for pod fresh");
      const previous = failureOf(await run("getLogs", { pod: "fresh", previous: true }));
      expect(previous.message).toContain('previous terminated container "app" in pod "fresh" not found');
    });

    test("keeps the beginning and the end of a long log", async () => {
      api.state.addPod("long");
      api.state.logs.set("default/long/app", { text: `begin\n${"x".repeat(80).concat("\n").repeat(50_000)}end\n` });
      const output = outputOf(await run("getLogs", { pod: "long" }));
      expect(output["truncated"]).toBe(true);
      const stdout = textOf(output, "stdout");
      expect(stdout).toStartWith("begin\n");
      expect(stdout).toEndWith("end\n");
      expect(Buffer.byteLength(stdout)).toBeLessThanOrEqual(STREAM_MAX_BYTES);
    });

    test("returns what arrived when the log breaks off", async () => {
      api.state.addPod("broken");
      api.state.logs.set("default/broken/app", { text: "before\n", endless: "more\n" });
      const outcome = run("getLogs", { pod: "broken" });
      await eventually("the log is read", () => api.openStreams > 0);
      api.breakOff();
      const failed = await outcome;
      expect(failureOf(failed).code).toBe("connection_lost");
      expect(textOf(outputOf(failed), "stdout")).toStartWith("before\n");
    });
  });

  describe("names from templates", () => {
    test("a refused namespace of the connection is reported as the connection's", async () => {
      const { code, message } = failureOf(await run("deletePod", { pod: "a" }, { namespace: "Bad_NS" }));
      expect(code).toBe("invalid_config");
      expect(message).toContain(
        "The connection's configuration is not valid: namespace: must be a name of lower-case letters",
      );
    });

    test.each([
      ["deletePod", { pod: "../../../nodes/node-1" }],
      ["deletePod", { pod: ".." }],
      ["deletePod", { pod: "a", namespace: "shop/pods/x?y=" }],
      ["deletePod", { pod: "a%2f..", namespace: "shop" }],
      ["getLogs", { pod: "a?follow=true" }],
      ["getLogs", { pod: "a", container: "b&follow=true" }],
      ["getLogs", { pod: "A" }],
      ["restartDeployment", { deployment: "web\r\nx" }],
      ["scaleDeployment", { deployment: "web/scale", replicas: 1 }],
      ["rollbackDeployment", { deployment: "web", namespace: "." }],
      ["scaleDeployment", { deployment: "web", replicas: -1 }],
      ["getLogs", { pod: "a", tailLines: 0 }],
      ["deletePod", { pod: "a", force: true }],
    ])("%s refuses %j before sending a request", async (action, params) => {
      expect(failureOf(await run(action, params)).code).toBe("invalid_params");
      expect(api.requests).toEqual([]);
    });
  });
});
