import { afterAll, beforeAll, expect, test } from "bun:test";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createKubernetesExecutor } from "../../agent/executors/kubernetes/index.ts";
import { programsHere } from "../../agent/programs/here.ts";
import { temporaryState } from "../support/executor-context.ts";

let directory: Awaited<ReturnType<typeof temporaryState>>;
beforeAll(async () => {
  directory = await temporaryState();
});
afterAll(() => directory.remove());

test.each(["https://rancher.example/k8s/c-1/", "https://rancher.example/k8s/c-1", "https://10.0.0.1:6443/"])(
  "a delivered token is bound to the server as written in the kubeconfig: %s",
  async (server) => {
    const kubeconfigPath = join(directory.path, "kubeconfig");
    const clusters = [{ name: "c", cluster: { server } }];
    const contexts = [{ name: "x", context: { cluster: "c", user: "" } }];
    await writeFile(kubeconfigPath, JSON.stringify({ "current-context": "x", clusters, contexts }));
    const { resolveTarget } = createKubernetesExecutor({ environment: {}, serviceAccountDirectory: "/nonexistent" });
    const place = await resolveTarget?.({
      connectionId: "con_1",
      entry: { type: "kubernetes", namespace: "default", kubeconfigPath },
      secrets: { token: "t" },
      settings: { slackApiUrl: "" },
      programs: programsHere(directory.path),
    });
    expect(place).toEqual({ server, authority: "those of the agent's host" });
  },
);
