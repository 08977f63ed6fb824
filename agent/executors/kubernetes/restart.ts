import type { ActionParams } from "../../../schema/contract/action.ts";
import type { JsonObject } from "../../../schema/contract/json.ts";
import { ExecutorFailure, jobEnded } from "../shared/failures.ts";
import { asDeployment, type Deployment, readDeployment, summary } from "./deployment.ts";
import type { KubernetesJob } from "./job.ts";
import { called, pathOf, subject } from "./names.ts";
import { pause } from "./pause.ts";
import { waitForRollout } from "./rollout.ts";

const RESTARTED_AT = "kubectl.kubernetes.io/restartedAt";
const MAY_HAVE = "Whether its restart was begun is not known: look at the age of its pods.";

/** Replaces a Deployment's pods, as `kubectl rollout restart`: an annotation of the pod template tells the time. */
export async function restartDeployment(
  { client, namespace, signal, secrets }: KubernetesJob,
  params: ActionParams<"kubernetes.restartDeployment">,
): Promise<JsonObject> {
  const deployment = subject("Deployment", params.namespace ?? namespace, params.deployment);
  const before = await readDeployment(client, deployment);
  if (before.spec.paused === true) {
    const message = `${called(deployment)} is paused, so that a restart would not begin. Resume it first: kubectl rollout resume deployment/${deployment.name} -n ${deployment.namespace}`;
    throw new ExecutorFailure("deployment_paused", message);
  }
  let restartedAt = inSeconds(new Date());
  // Two restarts within one second would be one.
  if (restartedAtOf(before) === restartedAt) {
    await pause(1_000, signal, () => jobEnded("It was not begun."));
    restartedAt = inSeconds(new Date());
  }
  const { status, value } = await client.json({
    method: "PATCH",
    path: pathOf(deployment),
    body: {
      contentType: "application/strategic-merge-patch+json",
      value: { spec: { template: { metadata: { annotations: { [RESTARTED_AT]: restartedAt } } } } },
    },
    about: called(deployment),
    mayHave: MAY_HAVE,
  });
  const after = asDeployment(client, value, MAY_HAVE);
  const change = { statusCode: status, body: { ...summary(deployment, after), restartedAt } };
  if (params.wait !== true) return change;
  const done = `The restart of ${called(deployment)} was begun.`;
  return await waitForRollout(client, deployment, { done, signal, secrets, ...change });
}

function inSeconds(time: Date): string {
  return time.toISOString().replace(/\.\d+Z$/u, "Z");
}

function restartedAtOf({ spec: { template } }: Deployment): unknown {
  const { metadata } = template;
  if (typeof metadata !== "object" || metadata === null || Array.isArray(metadata)) return undefined;
  const { annotations } = metadata;
  if (typeof annotations !== "object" || annotations === null || Array.isArray(annotations)) return undefined;
  return annotations[RESTARTED_AT];
}
