import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import type { JsonObject } from "../../schema/contract/json.ts";
import { eventually } from "../support/eventually.ts";
import { failureOf, outputOf, runAction } from "../support/executor-context.ts";
import { KubernetesApi } from "../support/kubernetes-api/index.ts";
import { objectAt } from "../support/kubernetes-api/json.ts";
import { testInFull } from "../support/in-full.ts";

describe("a Kubernetes rollback", () => {
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
  const setImage = (deployment: string, image: string): void => {
    const changed = structuredClone(api.state.deployment(deployment));
    objectAt(objectAt(changed["spec"])["template"])["spec"] = { containers: [{ name: "app", image }] };
    objectAt(objectAt(changed["metadata"])["annotations"])["kubernetes.io/change-cause"] = image;
    api.state.write(changed);
  };
  const upgrade = (deployment: string, image: string): void => {
    setImage(deployment, image);
    api.state.finish(deployment);
  };
  test("restores the template and annotations of the previous revision", async () => {
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
    expect(annotations["kubernetes.io/change-cause"]).toBe("shop/web:2");
  });

  test("keeps fields that the library's models do not know, and treats null as absent", async () => {
    api.state.deploy({ name: "newer" });
    const changed = structuredClone(api.state.deployment("newer"));
    const spec = {
      containers: [{ name: "app", image: "shop/web:2", command: null }],
      fieldOfTomorrow: { mode: "fast" },
    };
    objectAt(objectAt(changed["spec"])["template"])["spec"] = spec;
    api.state.write(changed);
    api.state.finish("newer");
    upgrade("newer", "shop/web:3");
    let sent: JsonObject[] = [];
    api.intervene = ({ method, body }) => {
      if (method !== "PATCH") return null;
      sent = JSON.parse(body);
      return { status: 200, body: api.state.deployment("newer") };
    };
    await run("rollbackDeployment", { deployment: "newer", revision: 2 });
    expect(objectAt(sent[0]?.["value"])["spec"]).toEqual({
      containers: [{ name: "app", image: "shop/web:2" }],
      fieldOfTomorrow: { mode: "fast" },
    });
  });

  test("refuses an answer with a null container", async () => {
    api.state.deploy({ name: "void" });
    upgrade("void", "shop/web:2");
    const answer = structuredClone(api.state.deployment("void"));
    objectAt(objectAt(objectAt(answer["spec"])["template"])["spec"])["containers"] = [null];
    api.intervene = ({ path }) => (path.endsWith("/void") ? { status: 200, body: answer } : null);
    expect(failureOf(await run("rollbackDeployment", { deployment: "void" })).code).toBe("invalid_response");
  });

  test("restores a named revision and waits for it", async () => {
    api.state.deploy({ name: "named" });
    upgrade("named", "shop/web:2");
    upgrade("named", "shop/web:3");
    const output = outputOf(await run("rollbackDeployment", { deployment: "named", revision: 1, wait: true }));
    expect(output).toMatchObject({
      body: { toRevision: 1, images: { app: "shop/web:1" }, revision: 4, rolledOut: true },
    });
  });

  test("right after a release waits until the cluster has seen that release, and goes back one revision only", async () => {
    api.state.deploy({ name: "fresh" });
    upgrade("fresh", "shop/web:2");
    setImage("fresh", "shop/web:3-bad");
    const outcome = run("rollbackDeployment", { deployment: "fresh" });
    await eventually("it looked twice", () => api.requests.length > 1);
    expect(patches()).toEqual([]);
    api.state.observe("fresh");
    expect(outputOf(await outcome)).toMatchObject({
      body: { fromRevision: 3, toRevision: 2, images: { app: "shop/web:2" } },
    });
  });

  testInFull("changes nothing when the cluster does not observe the release", async () => {
    api.state.deploy({ name: "unseen" });
    upgrade("unseen", "shop/web:2");
    setImage("unseen", "shop/web:3");
    const failed = await run("rollbackDeployment", { deployment: "unseen" });
    expect(failureOf(failed)).toMatchObject({ code: "not_observed" });
    expect(outputOf(failed)).toMatchObject({ body: { changed: false, images: { app: "shop/web:3" } } });
    expect(patches()).toEqual([]);
  });

  test("says that another release came first", async () => {
    api.state.deploy({ name: "raced" });
    upgrade("raced", "shop/web:2");
    api.intervene = ({ method }) => {
      if (method === "PATCH") setImage("raced", "shop/web:3");
      return null;
    };
    expect(failureOf(await run("rollbackDeployment", { deployment: "raced" })).code).toBe("conflict");
    expect(template("raced")).toMatchObject({ spec: { containers: [{ image: "shop/web:3" }] } });
    expect(patches()).toHaveLength(1);
  });

  test("continues while pods come and go", async () => {
    api.state.deploy({ name: "busy" });
    upgrade("busy", "shop/web:2");
    api.intervene = ({ method }) => {
      if (method === "PATCH" && patches().length < 3) api.state.observe("busy");
      return null;
    };
    expect(outputOf(await run("rollbackDeployment", { deployment: "busy" }))).toMatchObject({
      body: { toRevision: 1, images: { app: "shop/web:1" } },
    });
    expect(patches()).toHaveLength(3);
  });

  const labels = { app: "chosen", tier: "web" };
  const matchExpressions = [{ key: "tier", operator: "In", values: ["web", "api"] }];
  test.each<[string, JsonObject, string | null]>([
    ["labels and expressions", { matchLabels: labels, matchExpressions }, "app=chosen,tier=web"],
    ["expressions only", { matchExpressions }, null],
  ])("finds the revisions of a selector with %s by labels and owner", async (kind, selector, text) => {
    const selected = `by-${kind.replaceAll(" ", "-")}`;
    api.state.deploy({ name: selected, labels, selector });
    const changed = structuredClone(api.state.deployment(selected));
    objectAt(objectAt(objectAt(changed["spec"])["template"])["spec"])["containers"] = [{ name: "app", image: "b:2" }];
    api.state.write(changed);
    api.state.finish(selected);
    expect(outputOf(await run("rollbackDeployment", { deployment: selected }))).toMatchObject({
      body: { toRevision: 1 },
    });
    const list = api.requests.find(({ path }) => path.endsWith("/replicasets"));
    expect(list?.query.get("labelSelector") ?? null).toBe(text);
  });

  test("ignores ReplicaSets of another deployment with the same labels", async () => {
    api.state.deploy({ name: "labels" });
    const [own] = api.state.list("replicaSets", "default", ({ app }) => app === "labels");
    const metadata = objectAt(own?.["metadata"]);
    const annotations = { "deployment.kubernetes.io/revision": "7" };
    const ownerReferences = [{ apiVersion: "apps/v1", kind: "Deployment", name: "other", uid: "1", controller: true }];
    api.state.replicaSets.set("default/stranger", {
      ...own,
      metadata: { ...metadata, name: "stranger", annotations, ownerReferences },
    });
    const failure = failureOf(await run("rollbackDeployment", { deployment: "labels" }));
    expect(failure).toEqual({
      code: "revision_not_found",
      message:
        "Deployment labels in namespace default has no revision to roll back to. It has 1. Older ones are removed (revisionHistoryLimit).",
    });
  });

  test("reads a history of several pages", async () => {
    api.state.deploy({ name: "long" });
    for (let version = 2; version <= 60; version += 1) upgrade("long", `shop/web:${version}`);
    expect(outputOf(await run("rollbackDeployment", { deployment: "long" }))).toMatchObject({
      body: { fromRevision: 60, toRevision: 59, images: { app: "shop/web:59" } },
    });
  });

  test("lists the existing revisions when the named one is missing", async () => {
    api.state.deploy({ name: "few" });
    upgrade("few", "shop/web:2");
    const failure = failureOf(await run("rollbackDeployment", { deployment: "few", revision: 9 }));
    expect(failure.code).toBe("revision_not_found");
    expect(failure.message).toStartWith("Deployment few in namespace default has no revision 9. It has 1, 2.");
  });

  test("changes nothing when that revision is the current template", async () => {
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
