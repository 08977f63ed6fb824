import { AppsV1Api, PatchStrategy } from "@kubernetes/client-node";
import type { ActionParams } from "../../../schema/contract/action.ts";
import type { JsonObject } from "../../../schema/contract/json.ts";
import { ExecutorFailure, jobEnded } from "../shared/failures.ts";
import { pause } from "../shared/pause.ts";
import { asDeployment, readDeployment, summary } from "./deployment.ts";
import type { KubernetesJob } from "./job.ts";
import { subject } from "./names.ts";
import { waitForRollout } from "./rollout.ts";

const RESTARTED_AT = "kubectl.kubernetes.io/restartedAt";
const MAY_HAVE = "Whether its restart was begun is not known: look at the age of its pods.";

/** Replaces a Deployment's pods, as `kubectl rollout restart`: an annotation of the pod template tells the time. */
export async function restartDeployment(
  job: KubernetesJob,
  params: ActionParams<"kubernetes.restartDeployment">,
): Promise<JsonObject> {
  const { client, signal } = job;
  const deployment = subject("Deployment", params.namespace ?? job.namespace, params.deployment);
  const { name, namespace, called } = deployment;
  const { spec } = await readDeployment(client, deployment);
  if (spec.paused === true) {
    const message = `${called} is paused, so that a restart would not begin. Resume it first: kubectl rollout resume deployment/${name} -n ${namespace}`;
    throw new ExecutorFailure("deployment_paused", message);
  }
  let restartedAt = inSeconds(new Date());
  // Two restarts within one second would be one.
  if (spec.template.metadata?.annotations?.[RESTARTED_AT] === restartedAt) {
    await pause(1_000, signal, () => jobEnded("It was not begun."));
    restartedAt = inSeconds(new Date());
  }
  const call = { about: called, mayHave: MAY_HAVE, contentType: PatchStrategy.StrategicMergePatch };
  const body = { spec: { template: { metadata: { annotations: { [RESTARTED_AT]: restartedAt } } } } };
  const info = await client.call(AppsV1Api, call, (api) =>
    api.patchNamespacedDeploymentWithHttpInfo({ name, namespace, body }),
  );
  const after = await asDeployment(client, info, MAY_HAVE);
  const change = { statusCode: info.httpStatusCode, body: { ...summary(deployment, after), restartedAt } };
  if (params.wait !== true) return change;
  return await waitForRollout(job, deployment, { done: `The restart of ${called} was begun.`, ...change });
}

function inSeconds(time: Date): string {
  return time.toISOString().replace(/\.\d+Z$/u, "Z");
}
