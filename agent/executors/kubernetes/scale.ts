import type { ActionParams } from "../../../schema/contract/action.ts";
import type { JsonObject } from "../../../schema/contract/json.ts";
import { readDeployment, wantedReplicas } from "./deployment.ts";
import type { KubernetesJob } from "./job.ts";
import { called, pathOf, subject } from "./names.ts";
import { waitForRollout } from "./rollout.ts";

/** Sets a Deployment's number of replicas by its scale subresource, as `kubectl scale`. */
export async function scaleDeployment(
  { client, namespace, signal, secrets }: KubernetesJob,
  params: ActionParams<"kubernetes.scaleDeployment">,
): Promise<JsonObject> {
  const deployment = subject("Deployment", params.namespace ?? namespace, params.deployment);
  const before = await readDeployment(client, deployment);
  const { replicas } = params;
  const { status } = await client.json({
    method: "PATCH",
    path: `${pathOf(deployment)}/scale`,
    body: { contentType: "application/merge-patch+json", value: { spec: { replicas } } },
    about: called(deployment),
    mayHave: "Whether it was scaled is not known: run the action again, which does no harm.",
  });
  const replicasBefore = wantedReplicas(before);
  const change = {
    statusCode: status,
    body: { name: deployment.name, namespace: deployment.namespace, replicas, replicasBefore },
  };
  if (params.wait !== true) return change;
  const done = `${called(deployment)} was scaled from ${replicasBefore} to ${replicas} replicas.`;
  return await waitForRollout(client, deployment, { done, signal, secrets, ...change });
}
