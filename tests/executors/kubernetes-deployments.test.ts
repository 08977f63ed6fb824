import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import type { JsonObject } from "../../schema/contract/json.ts";
import { STREAM_MAX_BYTES } from "../../schema/limits.ts";
import { eventually } from "../support/eventually.ts";
import { failureOf, outputOf, runAction } from "../support/executor-context.ts";
import { KubernetesApi } from "../support/kubernetes-api/index.ts";
import { objectAt } from "../support/kubernetes-api/json.ts";
import { refusal } from "../support/kubernetes-api/requests.ts";
import { beginJob, runUntilTimeOut } from "../support/run-job.ts";

describe("deployments", () => {
  let api: KubernetesApi;
  beforeAll(async () => {
    api = await KubernetesApi.start();
  });
  afterAll(() => api.stop());
  afterEach(() => {
    api.intervene = () => null;
    api.settles = true;
    const violations = api.violations.splice(0);
    api.requests.length = 0;
    expect(violations).toEqual([]);
  });

  const run = (action: string, params: JsonObject) =>
    runAction("kubernetes", `kubernetes.${action}`, { secrets: { kubeconfig: api.kubeconfig() }, params });
  const template = (deployment: string): JsonObject =>
    objectAt(objectAt(api.state.deployment(deployment)["spec"])["template"]);
  const patches = () => api.requests.filter(({ method }) => method === "PATCH");

  describe("restartDeployment", () => {
    test("annotates the pod template with the time by a strategic merge patch, as kubectl does", async () => {
      api.state.deploy({ name: "restart" });
      const output = outputOf(await run("restartDeployment", { deployment: "restart" }));
      expect(output).toMatchObject({
        statusCode: 200,
        body: { name: "restart", namespace: "default", generation: 2, replicas: 2, images: { app: "shop/web:1" } },
      });
      const [patch] = patches();
      expect(patch?.contentType).toBe("application/strategic-merge-patch+json");
      const annotations = objectAt(objectAt(template("restart")["metadata"])["annotations"]);
      expect(annotations["kubectl.kubernetes.io/restartedAt"]).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/u);
      expect(objectAt(output["body"])["restartedAt"]).toBe(annotations["kubectl.kubernetes.io/restartedAt"] ?? null);
    });

    test("reads a deployment that is longer than an action's output may be", async () => {
      api.state.deploy({ name: "large" });
      const large = api.state.deployment("large");
      const annotations = { "kubectl.kubernetes.io/last-applied-configuration": "x".repeat(2 * STREAM_MAX_BYTES) };
      api.state.write({ ...large, metadata: { ...objectAt(large["metadata"]), annotations } });
      expect(outputOf(await run("restartDeployment", { deployment: "large" }))).toMatchObject({ statusCode: 200 });
    });

    test("twice within a second restarts twice", async () => {
      api.state.deploy({ name: "twice" });
      await run("restartDeployment", { deployment: "twice" });
      expect(outputOf(await run("restartDeployment", { deployment: "twice" }))).toMatchObject({
        body: { generation: 3 },
      });
    });

    test("refuses a paused deployment before changing it", async () => {
      api.state.deploy({ name: "paused" });
      const paused = api.state.deployment("paused");
      api.state.write({ ...paused, spec: { ...objectAt(paused["spec"]), paused: true } });
      const failure = failureOf(await run("restartDeployment", { deployment: "paused" }));
      expect(failure).toMatchObject({ code: "deployment_paused" });
      expect(failure.message).toContain("kubectl rollout resume deployment/paused -n default");
      expect(patches()).toEqual([]);
    });

    test("waits until every replica is new and available", async () => {
      api.state.deploy({ name: "slow", replicas: 3 });
      api.settles = false;
      const outcome = run("restartDeployment", { deployment: "slow", wait: true });
      let settled = false;
      void outcome.then(() => (settled = true));
      await eventually("it looks at the rollout", () => api.requests.length > 3);
      api.state.observe("slow");
      const before = api.requests.length;
      await eventually("it looks again", () => api.requests.length > before + 1);
      expect(settled).toBe(false);
      api.state.finish("slow");
      expect(outputOf(await outcome)).toMatchObject({
        statusCode: 200,
        body: { name: "slow", replicas: 3, updatedReplicas: 3, availableReplicas: 3, revision: 2, rolledOut: true },
      });
    });

    test("fails with the state when the rollout exceeds its deadline", async () => {
      api.state.deploy({ name: "stuck" });
      api.settles = false;
      const outcome = run("restartDeployment", { deployment: "stuck", wait: true });
      await eventually("it was restarted", () => patches().length === 1);
      api.state.exceedDeadline("stuck");
      const failed = await outcome;
      expect(failureOf(failed)).toMatchObject({ code: "rollout_failed" });
      expect(failureOf(failed).message).toContain(
        "The restart of Deployment stuck in namespace default was begun. But the rollout failed",
      );
      expect(failureOf(failed).message).toContain("progress deadline");
      expect(outputOf(failed)).toMatchObject({ body: { name: "stuck", updatedReplicas: 0, rolledOut: false } });
    });

    test("keeps waiting while the API is briefly unavailable", async () => {
      api.state.deploy({ name: "away" });
      let lost = 0;
      api.intervene = ({ method }) => (method === "GET" && patches().length > 0 && (lost += 1) < 3 ? "close" : null);
      const output = outputOf(await run("restartDeployment", { deployment: "away", wait: true }));
      expect(output).toMatchObject({ body: { rolledOut: true } });
      expect(lost).toBeGreaterThanOrEqual(3);
    });

    test("says that the restart was begun when the account may not read the deployment", async () => {
      api.state.deploy({ name: "blind" });
      api.intervene = ({ method }) =>
        method === "GET" && patches().length > 0 ? refusal(403, "Forbidden", "cannot get deployments") : null;
      const failure = failureOf(await run("restartDeployment", { deployment: "blind", wait: true }));
      expect(failure).toMatchObject({ code: "permission_denied" });
      expect(failure.message).toStartWith("The restart of Deployment blind in namespace default was begun.");
    });

    test("says on time-out and cancel that the change was made", async () => {
      api.state.deploy({ name: "patience" });
      api.settles = false;
      const job = {
        type: "kubernetes" as const,
        secrets: { kubeconfig: api.kubeconfig() },
        action: "kubernetes.restartDeployment",
        params: { deployment: "patience", wait: true },
      };
      const waits = (): boolean => patches().length === 1 && api.requests.at(-1)?.method === "GET";
      api.requests.length = 0;
      const late = await runUntilTimeOut(job, "it waits", waits);
      expect(late).toMatchObject({ status: "timed_out", output: { body: { name: "patience", rolledOut: false } } });
      expect(late.error?.message).toContain("The restart of Deployment patience in namespace default was begun.");
      api.requests.length = 0;
      const begun = await beginJob(job);
      await eventually("it waits", waits);
      begun.cancel();
      const cancelled = await begun.result;
      expect(cancelled).toMatchObject({ status: "cancelled" });
      expect(cancelled.error?.message).toContain("the rollout continues");
    });
  });

  describe("scaleDeployment", () => {
    test("patches the scale subresource and returns the number of replicas before", async () => {
      api.state.deploy({ name: "scale" });
      const output = outputOf(await run("scaleDeployment", { deployment: "scale", replicas: "5" }));
      expect(output).toMatchObject({ statusCode: 200, body: { name: "scale", replicas: 5, replicasBefore: 2 } });
      expect(patches()).toMatchObject([
        {
          path: "/apis/apps/v1/namespaces/default/deployments/scale/scale",
          contentType: "application/merge-patch+json",
          body: '{"spec":{"replicas":5}}',
        },
      ]);
      expect(objectAt(api.state.deployment("scale")["spec"])["replicas"]).toBe(5);
    });

    test("waits until surplus replicas are gone", async () => {
      api.state.deploy({ name: "down", replicas: 4 });
      api.settles = false;
      const outcome = run("scaleDeployment", { deployment: "down", replicas: 1, wait: true });
      await eventually("it was scaled", () => patches().length === 1);
      api.state.observe("down");
      const before = api.requests.length;
      await eventually("it looks again", () => api.requests.length > before + 1);
      api.state.finish("down");
      expect(outputOf(await outcome)).toMatchObject({
        body: { replicas: 1, replicasBefore: 4, availableReplicas: 1, rolledOut: true },
      });
    });

    test("scales to zero, and can be repeated", async () => {
      api.state.deploy({ name: "zero" });
      const params = { deployment: "zero", replicas: 0, wait: true };
      expect(outputOf(await run("scaleDeployment", params))).toMatchObject({
        body: { replicas: 0, replicasBefore: 2 },
      });
      expect(outputOf(await run("scaleDeployment", params))).toMatchObject({
        body: { replicas: 0, replicasBefore: 0 },
      });
    });
  });
});
