import { AppsV1Api, PatchStrategy } from "@kubernetes/client-node";
import type { ActionParams } from "../../../schema/contract/action.ts";
import type { JsonObject } from "../../../schema/contract/json.ts";
import { ExecutorFailure } from "../shared/failures.ts";
import { readDeployment, wantedReplicas } from "./deployment.ts";
import type { KubernetesJob } from "./job.ts";
import { subject } from "./names.ts";
import { waitForRollout } from "./rollout.ts";

const MAY_HAVE = "It is not known whether the deployment was scaled. It is safe to run the action again.";

/** Sets a Deployment's number of replicas through its scale subresource, as `kubectl scale` does. */
export async function scaleDeployment(
  job: KubernetesJob,
  params: ActionParams<"kubernetes.scaleDeployment">,
): Promise<JsonObject> {
  const deployment = subject("Deployment", params.namespace ?? job.namespace, params.deployment);
  const { name, namespace, called } = deployment;
  const replicasBefore = wantedReplicas(await readDeployment(job, deployment));
  const { replicas } = params;
  const call = { about: called, mayHave: MAY_HAVE, kind: "Scale", name, contentType: PatchStrategy.MergePatch };
  const { httpStatusCode: statusCode, data } = await job.call(AppsV1Api, call, (api) =>
    api.patchNamespacedDeploymentScaleWithHttpInfo({ name, namespace, body: { spec: { replicas } } }),
  );
  // The API omits a number of 0.
  const made = data.spec?.replicas ?? 0;
  if (made !== replicas) {
    const message = `${called} was asked to have ${replicas} replicas, and the API at ${job.cluster.where} made them ${made}. Find the policy of the cluster (an admission webhook) that limits them.`;
    throw new ExecutorFailure("rejected", message);
  }
  const change = { statusCode, body: { name, namespace, replicas, replicasBefore } };
  if (params.wait !== true) return change;
  const done = `${called} was scaled from ${replicasBefore} to ${replicas} replicas.`;
  return await waitForRollout(job, deployment, { done, ...change });
}
