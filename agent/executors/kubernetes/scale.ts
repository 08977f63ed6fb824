import { z } from "zod";
import type { ActionParams } from "../../../schema/contract/action.ts";
import type { JsonObject } from "../../../schema/contract/json.ts";
import { ExecutorFailure } from "../shared/failures.ts";
import { readDeployment, wantedReplicas } from "./deployment.ts";
import type { KubernetesJob } from "./job.ts";
import { called, pathOf, subject } from "./names.ts";
import { notKubernetes } from "./read-answer.ts";
import { waitForRollout } from "./rollout.ts";

const MAY_HAVE = "Whether it was scaled is not known: run the action again, which does no harm.";
/** A number of 0 is left out by the API. */
const scaleSchema = z.object({ kind: z.literal("Scale"), spec: z.object({ replicas: z.int().default(0) }) });

/** Sets a Deployment's number of replicas by its scale subresource, as `kubectl scale`. */
export async function scaleDeployment(
  { client, namespace, signal, secrets }: KubernetesJob,
  params: ActionParams<"kubernetes.scaleDeployment">,
): Promise<JsonObject> {
  const deployment = subject("Deployment", params.namespace ?? namespace, params.deployment);
  const before = await readDeployment(client, deployment);
  const { replicas } = params;
  const { status, value } = await client.json({
    method: "PATCH",
    path: `${pathOf(deployment)}/scale`,
    body: { contentType: "application/merge-patch+json", value: { spec: { replicas } } },
    about: called(deployment),
    mayHave: MAY_HAVE,
  });
  const scale = scaleSchema.safeParse(value).data;
  if (scale === undefined) throw notKubernetes(client.where, "what it gives for a Scale is none", MAY_HAVE);
  if (scale.spec.replicas !== replicas) {
    const message = `${called(deployment)} was asked to have ${replicas} replicas, and the API at ${client.where} made them ${scale.spec.replicas}. Look which policy of the cluster (an admission webhook) limits them.`;
    throw new ExecutorFailure("rejected", message);
  }
  const replicasBefore = wantedReplicas(before);
  const change = {
    statusCode: status,
    body: { name: deployment.name, namespace: deployment.namespace, replicas, replicasBefore },
  };
  if (params.wait !== true) return change;
  const done = `${called(deployment)} was scaled from ${replicasBefore} to ${replicas} replicas.`;
  return await waitForRollout(client, deployment, { done, signal, secrets, ...change });
}
