import type { z } from "zod";
import { ACTIONS } from "../../../schema/contract/action.ts";
import type { JsonObject } from "../../../schema/contract/json.ts";
import type { Executor, RunAction } from "../executor.ts";
import { deletePod } from "./delete-pod.ts";
import { type KubernetesDeps, resolveTarget } from "./find-cluster.ts";
import { beginKubernetesJob, type KubernetesJob } from "./job.ts";
import { getLogs } from "./logs.ts";
import { restartDeployment } from "./restart.ts";
import { rollbackDeployment } from "./rollback.ts";
import { scaleDeployment } from "./scale.ts";
import { testConnection } from "./test-connection.ts";
import { action, parsed } from "../shared/failures.ts";

/** A connection test has 30 s in total. */
const TEST_ANSWER_TIMEOUT_MS = 8_000;

export const executor: Executor<"kubernetes"> = createKubernetesExecutor({
  environment: process.env,
  serviceAccountDirectory: "/var/run/secrets/kubernetes.io/serviceaccount",
});

/**
 * Deployments and pods of Kubernetes clusters, through the kubeconfigs, typed APIs and models of
 * @kubernetes/client-node. Under Bun its own transport ignores authorities and client certificates, so requests use the
 * agent's sockets.
 */
export function createKubernetesExecutor(deps: KubernetesDeps): Executor<"kubernetes"> {
  const on = <P>(schema: z.ZodType<P>, run: (job: KubernetesJob, params: P) => Promise<JsonObject>): RunAction =>
    action(async (context) => {
      const params = parsed(schema, context.params, "invalid_params");
      return await run(await beginKubernetesJob(context, deps), params);
    });
  return {
    actions: {
      "kubernetes.restartDeployment": on(ACTIONS["kubernetes.restartDeployment"].params, restartDeployment),
      "kubernetes.scaleDeployment": on(ACTIONS["kubernetes.scaleDeployment"].params, scaleDeployment),
      "kubernetes.deletePod": on(ACTIONS["kubernetes.deletePod"].params, deletePod),
      "kubernetes.rollbackDeployment": on(ACTIONS["kubernetes.rollbackDeployment"].params, rollbackDeployment),
      "kubernetes.getLogs": on(ACTIONS["kubernetes.getLogs"].params, getLogs),
    },
    test: (context) => testConnection(context, { answerTimeoutMs: TEST_ANSWER_TIMEOUT_MS, ...deps }),
    resolveTarget: (place) => resolveTarget(place, deps),
  };
}
