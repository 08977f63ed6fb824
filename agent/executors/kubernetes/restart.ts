import { PatchStrategy } from "@kubernetes/client-node";
import type { ActionParams } from "../../../schema/contract/action.ts";
import type { JsonObject } from "../../../schema/contract/json.ts";
import { jobEnded } from "../shared/failures.ts";
import { pause } from "../shared/pause.ts";
import { askDeployment, readDeployment, refusePaused, summary } from "./deployment.ts";
import type { KubernetesJob } from "./job.ts";
import { subject } from "./names.ts";
import { waitForRollout } from "./rollout.ts";

const RESTARTED_AT = "kubectl.kubernetes.io/restartedAt";
const MAY_HAVE = "It is not known whether the restart was begun. Check the age of the pods.";

/** Replaces a Deployment's pods, as `kubectl rollout restart`: sets an annotation of the pod template to the time. */
export async function restartDeployment(
  job: KubernetesJob,
  params: ActionParams<"kubernetes.restartDeployment">,
): Promise<JsonObject> {
  const deployment = subject("Deployment", params.namespace ?? job.namespace, params.deployment);
  const { name, namespace, called } = deployment;
  const before = await readDeployment(job, deployment);
  refusePaused(before, deployment);
  let restartedAt = inSeconds(new Date());
  // Two restarts within one second would count as one.
  if (before.spec.template.metadata?.annotations?.[RESTARTED_AT] === restartedAt) {
    await pause(1_000, job.signal, () => jobEnded("It was not begun."));
    restartedAt = inSeconds(new Date());
  }
  const call = { about: called, name, mayHave: MAY_HAVE, contentType: PatchStrategy.StrategicMergePatch };
  const body = { spec: { template: { metadata: { annotations: { [RESTARTED_AT]: restartedAt } } } } };
  const after = await askDeployment(job, call, (api) =>
    api.patchNamespacedDeploymentWithHttpInfo({ name, namespace, body }),
  );
  const change = { statusCode: after.statusCode, body: { ...summary(deployment, after), restartedAt } };
  if (params.wait !== true) return change;
  return await waitForRollout(job, deployment, { done: `The restart of ${called} was begun.`, ...change });
}

function inSeconds(time: Date): string {
  return time.toISOString().replace(/\.\d+Z$/u, "Z");
}
