import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import type { JsonObject } from "../../schema/contract/json.ts";
import { eventually } from "../support/eventually.ts";
import { failureOf, outputOf, runAction } from "../support/executor-context.ts";
import { KubernetesApi, kubernetesApiMissing } from "../support/kubernetes-api.ts";
import { objectAt } from "../support/kubernetes-api/json.ts";
import { refusal } from "../support/kubernetes-api/requests.ts";
import { beginJob, runJob } from "../support/run-job.ts";

const name = kubernetesApiMissing === null ? "deployments" : `deployments (skipped: ${kubernetesApiMissing})`;
describe.skipIf(kubernetesApiMissing !== null)(name, () => {
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
  const upgrade = (deployment: string, image: string): void => {
    const changed = structuredClone(api.state.deployment(deployment));
    objectAt(objectAt(changed["spec"])["template"])["spec"] = { containers: [{ name: "app", image }] };
    objectAt(objectAt(changed["metadata"])["annotations"])["kubernetes.io/change-cause"] = image;
    api.state.write(changed);
    api.state.finish(deployment);
  };

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

    test("twice within a second restarts twice", async () => {
      api.state.deploy({ name: "twice" });
      await run("restartDeployment", { deployment: "twice" });
      expect(outputOf(await run("restartDeployment", { deployment: "twice" }))).toMatchObject({
        body: { generation: 3 },
      });
    });

    test("refuses a paused deployment before it changes anything", async () => {
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

    test("goes on waiting while the API is away for a moment", async () => {
      api.state.deploy({ name: "away" });
      let lost = 0;
      api.intervene = ({ method }) => (method === "GET" && patches().length > 0 && (lost += 1) < 3 ? "close" : null);
      const output = outputOf(await run("restartDeployment", { deployment: "away", wait: true }));
      expect(output).toMatchObject({ body: { rolledOut: true } });
      expect(lost).toBeGreaterThanOrEqual(3);
    });

    test("says that the restart was begun when the account may not look at it afterwards", async () => {
      api.state.deploy({ name: "blind" });
      api.intervene = ({ method }) =>
        method === "GET" && patches().length > 0 ? refusal(403, "Forbidden", "cannot get deployments") : null;
      const failure = failureOf(await run("restartDeployment", { deployment: "blind", wait: true }));
      expect(failure).toMatchObject({ code: "permission_denied" });
      expect(failure.message).toStartWith("The restart of Deployment blind in namespace default was begun.");
    });

    test("says on time-out and cancel that the change itself was made", async () => {
      api.state.deploy({ name: "patience" });
      api.settles = false;
      const job = {
        type: "kubernetes" as const,
        secrets: { kubeconfig: api.kubeconfig() },
        action: "kubernetes.restartDeployment",
        params: { deployment: "patience", wait: true },
      };
      const late = await runJob({ ...job, timeoutSeconds: 2 });
      expect(late).toMatchObject({ status: "timed_out", output: { body: { name: "patience", rolledOut: false } } });
      expect(late.error?.message).toContain("The restart of Deployment patience in namespace default was begun.");
      api.requests.length = 0;
      const begun = await beginJob(job);
      await eventually("it was restarted", () => patches().length === 1);
      begun.cancel();
      const cancelled = await begun.result;
      expect(cancelled).toMatchObject({ status: "cancelled" });
      expect(cancelled.error?.message).toContain("the rollout goes on");
    });
  });

  describe("scaleDeployment", () => {
    test("patches the scale subresource and tells the number before", async () => {
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

    test("waits until replicas that are too many are gone", async () => {
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

    test("scales to nothing, and repeats without harm", async () => {
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

  describe("rollbackDeployment", () => {
    test("gives back the template and annotations of the previous revision", async () => {
      api.state.deploy({ name: "undo" });
      upgrade("undo", "shop/web:2");
      upgrade("undo", "shop/web:3");
      const output = outputOf(await run("rollbackDeployment", { deployment: "undo" }));
      expect(output).toMatchObject({
        statusCode: 200,
        body: {
          name: "undo",
          fromRevision: 3,
          toRevision: 2,
          imagesBefore: { app: "shop/web:3" },
          images: { app: "shop/web:2" },
          changed: true,
        },
      });
      expect(template("undo")).toEqual({
        metadata: { labels: { app: "undo" } },
        spec: { containers: [{ name: "app", image: "shop/web:2" }] },
      });
      expect(patches()[0]?.contentType).toBe("application/json-patch+json");
      const annotations = objectAt(objectAt(api.state.deployment("undo")["metadata"])["annotations"]);
      expect(annotations).toMatchObject({ team: "shop", "deployment.kubernetes.io/revision": "4" });
      // The cause of revision 3 is not that of revision 2, which had none.
      expect(annotations["kubernetes.io/change-cause"]).toBeUndefined();
    });

    test("goes back to a named revision and waits for it", async () => {
      api.state.deploy({ name: "named" });
      upgrade("named", "shop/web:2");
      upgrade("named", "shop/web:3");
      const output = outputOf(await run("rollbackDeployment", { deployment: "named", revision: 1, wait: true }));
      expect(output).toMatchObject({
        body: { toRevision: 1, images: { app: "shop/web:1" }, revision: 4, rolledOut: true },
      });
    });

    test("leaves aside ReplicaSets with the same labels that another deployment owns", async () => {
      api.state.deploy({ name: "labels" });
      const [own] = api.state.list("replicaSets", "default", "app=labels");
      const metadata = objectAt(own?.["metadata"]);
      const annotations = { "deployment.kubernetes.io/revision": "7" };
      const ownerReferences = [
        { apiVersion: "apps/v1", kind: "Deployment", name: "other", uid: "1", controller: true },
      ];
      api.state.replicaSets.set("default/stranger", {
        ...own,
        metadata: { ...metadata, name: "stranger", annotations, ownerReferences },
      });
      const failure = failureOf(await run("rollbackDeployment", { deployment: "labels" }));
      expect(failure).toEqual({
        code: "revision_not_found",
        message: "Deployment labels in namespace default has nothing to roll back to: revision 1 is its only one.",
      });
    });

    test("reads a history of several pages", async () => {
      api.state.deploy({ name: "long" });
      for (let version = 2; version <= 60; version += 1) upgrade("long", `shop/web:${version}`);
      expect(outputOf(await run("rollbackDeployment", { deployment: "long" }))).toMatchObject({
        body: { fromRevision: 60, toRevision: 59, images: { app: "shop/web:59" } },
      });
    });

    test("names the revisions there are when the wanted one is not", async () => {
      api.state.deploy({ name: "few" });
      upgrade("few", "shop/web:2");
      const failure = failureOf(await run("rollbackDeployment", { deployment: "few", revision: 9 }));
      expect(failure.code).toBe("revision_not_found");
      expect(failure.message).toStartWith("Deployment few in namespace default has no revision 9. It has 1, 2.");
    });

    test("changes nothing when the template is that revision's already", async () => {
      api.state.deploy({ name: "same" });
      upgrade("same", "shop/web:2");
      const output = outputOf(await run("rollbackDeployment", { deployment: "same", revision: 2 }));
      expect(output).toMatchObject({ body: { toRevision: 2, changed: false, images: { app: "shop/web:2" } } });
      expect(patches()).toEqual([]);
    });

    test("refuses a paused deployment", async () => {
      api.state.deploy({ name: "halted" });
      upgrade("halted", "shop/web:2");
      const halted = api.state.deployment("halted");
      api.state.write({ ...halted, spec: { ...objectAt(halted["spec"]), paused: true } });
      expect(failureOf(await run("rollbackDeployment", { deployment: "halted" })).code).toBe("deployment_paused");
      expect(patches()).toEqual([]);
    });
  });
});
