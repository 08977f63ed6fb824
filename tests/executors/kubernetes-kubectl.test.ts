import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { debianPeer } from "../support/debian-peer.ts";
import type { JsonObject } from "../../schema/contract/json.ts";
import { runAction } from "../support/executor-context.ts";
import { KubernetesApi } from "../support/kubernetes-api/index.ts";
import { objectAt } from "../support/kubernetes-api/json.ts";

const KUBECTL = "/usr/bin/kubectl";
const missing = debianPeer(KUBECTL, "kubernetes-client");
const suite = missing === null ? "kubectl against the fake API" : `kubectl against the fake API (skipped: ${missing})`;

/** The vendor's client verifies that the fake behaves like the API, and that the agent sends what kubectl sends. */
describe.skipIf(missing !== null)(suite, () => {
  let api: KubernetesApi;
  let home: string;
  beforeAll(async () => {
    api = await KubernetesApi.start();
    api.state.deploy({ name: "web" });
    api.state.logs.set("default/web-0/app", { text: "one\ntwo\n", previous: "before\n" });
    home = await mkdtemp(join(tmpdir(), "bellhop-kubectl-"));
    await writeFile(join(home, "config"), api.kubeconfig());
  });
  afterAll(async () => {
    await api.stop();
    await rm(home, { recursive: true, force: true });
  });

  const ask = async (...args: string[]): Promise<string> => {
    const child = Bun.spawn([KUBECTL, "--namespace", "default", ...args], {
      env: { PATH: process.env["PATH"] ?? "", HOME: home, KUBECONFIG: join(home, "config") },
      stdio: ["ignore", "pipe", "pipe"],
      timeout: 30_000,
    });
    const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
    if ((await child.exited) !== 0) throw new Error(`kubectl ${args.join(" ")}: ${err}`);
    return out;
  };
  const agent = (action: string, params: JsonObject) =>
    runAction("kubernetes", `kubernetes.${action}`, { secrets: { kubeconfig: api.kubeconfig() }, params });
  /** The requests that change objects, without the client's identity. */
  const changes = () =>
    api.requests
      .splice(0)
      .filter(({ method }) => method !== "GET")
      .map(({ method, path, contentType, body }): JsonObject => ({
        method,
        path,
        contentType,
        body: JSON.parse(body),
      }));

  test("kubectl works with the fake API: get, patch, scale, logs, rollout status and delete", async () => {
    expect(await ask("get", "deployment", "web", "-o", "jsonpath={.spec.replicas}")).toBe("2");
    const image = { spec: { template: { spec: { containers: [{ name: "app", image: "shop/web:2" }] } } } };
    expect(await ask("patch", "deployment", "web", "-p", JSON.stringify(image))).toContain("patched");
    expect(await ask("scale", "deployment", "web", "--replicas=3")).toContain("scaled");
    expect(await ask("rollout", "status", "deployment/web")).toContain("successfully rolled out");
    expect(await ask("logs", "web-0", "--tail=1")).toBe("two\n");
    expect(await ask("logs", "web-0", "--previous")).toBe("before\n");
    expect(await ask("delete", "pod", "web-2", "--wait=false")).toContain("deleted");
    expect(api.violations).toEqual([]);
  });

  test("kubectl gets errors for objects that do not exist", async () => {
    const strange = { spec: { template: { spec: { contaners: [] } } } };
    const patched = ask("patch", "deployment", "web", "-p", JSON.stringify(strange));
    expect(await patched.catch((error: unknown) => String(error))).toContain("contaners");
    expect(api.violations.splice(0)).toHaveLength(1);
  });

  test("a restart and a scaling by the agent send the same requests as kubectl", async () => {
    changes();
    await ask("scale", "deployment", "web", "--replicas=4");
    const [scaled] = changes();
    await agent("scaleDeployment", { deployment: "web", replicas: 4 });
    expect(changes()).toEqual(scaled === undefined ? [] : [scaled]);

    await ask("rollout", "restart", "deployment/web");
    const [restarted] = changes();
    await agent("restartDeployment", { deployment: "web" });
    const withoutTime = (change: JsonObject | undefined): string =>
      JSON.stringify(change).replaceAll(/\d{4}-\d\d-\d\dT[\d:]+(Z|[+-]\d\d:\d\d)/gu, "<time>");
    const [ours] = changes();
    expect(withoutTime(ours)).toBe(withoutTime(restarted));
  });

  test("a rollback by the agent leads to the same deployment as kubectl's", async () => {
    const rolledBack = async (name: string, undo: () => Promise<unknown>): Promise<JsonObject> => {
      api.state.deploy({ name });
      const image = { spec: { template: { spec: { containers: [{ name: "app", image: "shop/web:2" }] } } } };
      await ask("patch", "deployment", name, "-p", JSON.stringify(image));
      changes();
      await undo();
      const [change] = changes();
      const [template, annotations] = [change?.["body"] ?? []].flat();
      expect(change).toMatchObject({ method: "PATCH", contentType: "application/json-patch+json" });
      const text = JSON.stringify({ template, annotations }).replaceAll('"creationTimestamp":null,', "");
      return objectAt(
        JSON.parse(text.replaceAll('"resources":{},', "").replaceAll(',"resources":{}', "").replaceAll(name, "<name>")),
      );
    };
    const byKubectl = await rolledBack("undo-a", () => ask("rollout", "undo", "deployment/undo-a"));
    const byAgent = await rolledBack("undo-b", () => agent("rollbackDeployment", { deployment: "undo-b" }));
    expect(byAgent).toEqual(byKubectl);
    expect(api.violations).toEqual([]);
  });
});
