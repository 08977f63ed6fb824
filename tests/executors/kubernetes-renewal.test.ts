import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { eventually } from "../support/eventually.ts";
import { failureOf } from "../support/executor-context.ts";
import { KubernetesApi } from "../support/kubernetes-api/index.ts";
import { kubernetesExecutor } from "../support/kubernetes-executor.ts";

describe("an expired Kubernetes login", () => {
  let api: KubernetesApi;
  let directory: string;
  const executor = kubernetesExecutor();

  beforeAll(async () => {
    api = await KubernetesApi.start();
    directory = await mkdtemp(join(tmpdir(), "bellhop-kubeconfig-"));
  });
  afterAll(async () => {
    await api.stop();
    await rm(directory, { recursive: true, force: true });
  });
  afterEach(() => {
    api.requests.length = 0;
  });

  const file = async (fileName: string, text: string): Promise<string> => {
    const path = join(directory, fileName);
    await writeFile(path, text);
    return path;
  };

  test("is renewed from its token file while a rollout is waited for", async () => {
    const { token } = api;
    const tokenFile = await file("rotated.txt", token);
    api.state.deploy({ name: "patient" });
    api.settles = false;
    try {
      const outcome = executor.run("restartDeployment", {
        config: { kubeconfigPath: await file("rotating", api.kubeconfig({ user: { tokenFile } })) },
        params: { deployment: "patient", wait: true },
      });
      const looks = () => api.requests.filter(({ method }) => method === "GET").length;
      await eventually("it waits", () => looks() > 1);
      await file("rotated.txt", "renewed");
      api.token = "renewed";
      const before = looks();
      await eventually("it was refused once and asked again", () => looks() > before + 1);
      expect(api.requests.at(-1)?.authorization).toBe("Bearer renewed");
      await file("rotated.txt", "renewed-again");
      api.token = "renewed-again";
      api.state.finish("patient");
      expect(await outcome).toMatchObject({ status: "succeeded", output: { body: { rolledOut: true } } });
    } finally {
      api.settles = true;
      api.token = token;
    }
  });

  test("that stays refused ends the wait, and the error says that the change was made", async () => {
    const { token } = api;
    const tokenFile = await file("ended.txt", token);
    api.state.deploy({ name: "cut-off" });
    api.settles = false;
    try {
      const outcome = executor.run("restartDeployment", {
        config: { kubeconfigPath: await file("ending", api.kubeconfig({ user: { tokenFile } })) },
        params: { deployment: "cut-off", wait: true },
      });
      await eventually("it was restarted", () => api.requests.some(({ method }) => method === "PATCH"));
      api.token = "another";
      const failure = failureOf(await outcome);
      expect(failure.code).toBe("authentication_failed");
      expect(failure.message).toStartWith("The restart of Deployment cut-off in namespace default was begun.");
    } finally {
      api.settles = true;
      api.token = token;
    }
  });
});
