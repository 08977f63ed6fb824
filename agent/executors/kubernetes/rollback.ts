import { isDeepStrictEqual } from "node:util";
import { PatchStrategy } from "@kubernetes/client-node";
import type { ActionParams } from "../../../schema/contract/action.ts";
import type { JsonObject } from "../../../schema/contract/json.ts";
import { objectOf } from "../../../schema/contract/json-object.ts";
import { ExecutorFailure, jobEnded } from "../shared/failures.ts";
import { pause } from "../shared/pause.ts";
import {
  askDeployment,
  type Deployment,
  imagesOf,
  readDeployment,
  refusePaused,
  REVISION,
  revisionOf,
  rolloutSummary,
  summary,
} from "./deployment.ts";
import type { KubernetesJob } from "./job.ts";
import { type Subject, subject } from "./names.ts";
import { type Revision, revisionsOf } from "./revisions.ts";
import { type RolloutWait, waitForRollout } from "./rollout.ts";

const MAY_HAVE = "It is not known whether the deployment was rolled back. Check its revision.";
/** The limit for the cluster's controller to observe a change, which usually takes far less than a second. */
const OBSERVE_TRIES = 20;
const OBSERVE_EVERY_MS = 500;
/** While pods start and end, a Deployment's status is written every few moments. */
const PATCH_TRIES = 5;

/** The controller's own label on each ReplicaSet's template. A Deployment's template has none. */
const HASH_LABEL = "pod-template-hash";
/** Annotations of the Deployment itself, not of a revision. kubectl keeps the same ones. */
const OF_THE_DEPLOYMENT = new Set([
  "kubectl.kubernetes.io/last-applied-configuration",
  REVISION,
  "deployment.kubernetes.io/revision-history",
  "deployment.kubernetes.io/desired-replicas",
  "deployment.kubernetes.io/max-replicas",
  "deprecated.deployment.rollback.to",
]);

/**
 * Gives a Deployment the pod template of an earlier revision, as `kubectl rollout undo` does: the previous one, or a
 * named one.
 */
export async function rollbackDeployment(
  job: KubernetesJob,
  params: ActionParams<"kubernetes.rollbackDeployment">,
): Promise<JsonObject> {
  const deployment = subject("Deployment", params.namespace ?? job.namespace, params.deployment);
  const { done, ...change } = await rolledBack(job, deployment, params.revision);
  if (params.wait !== true) return change;
  return await waitForRollout(job, deployment, { done, ...change });
}

/** Patches only the state that was read. If only its status was written since then, reads it again and retries. */
async function rolledBack(job: KubernetesJob, deployment: Subject, wanted: number | undefined): Promise<RolloutWait> {
  let before = await observed(job, deployment, wanted);
  for (let tries = 1; ; tries += 1) {
    try {
      return await rollBackOnce(job, deployment, { before, wanted });
    } catch (error) {
      if (!(error instanceof ExecutorFailure) || error.code !== "conflict" || tries === PATCH_TRIES) throw error;
      const { generation } = before.metadata;
      before = await readDeployment(job, deployment);
      if (before.metadata.generation !== generation) throw error;
    }
  }
}

/** A change has no revision until the controller has observed it. The one before would be taken for the newest. */
async function observed(job: KubernetesJob, deployment: Subject, wanted: number | undefined): Promise<Deployment> {
  for (let tries = 1; ; tries += 1) {
    const found = await readDeployment(job, deployment);
    refusePaused(found, deployment);
    if ((found.status?.observedGeneration ?? 0) >= (found.metadata.generation ?? 0)) return found;
    if (tries === OBSERVE_TRIES && wanted !== undefined) return found;
    if (tries === OBSERVE_TRIES) {
      const message = `${deployment.called} was changed before, but the cluster has not processed that change, so its previous revision is not known. The action changed nothing. Check that the cluster's controllers run, or name the revision.`;
      const body = { ...rolloutSummary(deployment, found), changed: false };
      throw new ExecutorFailure("not_observed", message, { statusCode: found.statusCode, body });
    }
    await pause(OBSERVE_EVERY_MS, job.signal, () => jobEnded("It was not begun."));
  }
}

async function rollBackOnce(
  job: KubernetesJob,
  deployment: Subject,
  { before, wanted }: { before: Deployment; wanted: number | undefined },
): Promise<RolloutWait> {
  const { name, namespace, called } = deployment;
  const { resourceVersion, annotations } = before.metadata;
  const target = chosen(called, await revisionsOf(job, deployment, before), wanted);
  const { revision: toRevision } = target;
  const steps = { fromRevision: revisionOf(annotations), toRevision, imagesBefore: imagesOf(before.spec.template) };
  const template = withoutHash(target.template);
  if (isDeepStrictEqual(template, withoutHash(before.template))) {
    const done = `${called} has the template of revision ${toRevision} already.`;
    return { done, statusCode: 200, body: { ...summary(deployment, before), ...steps, changed: false } };
  }
  const call = { about: called, name, mayHave: MAY_HAVE, contentType: PatchStrategy.JsonPatch };
  const isOwn = ([key]: [string, string]): boolean => OF_THE_DEPLOYMENT.has(key);
  const kept = Object.entries(annotations ?? {}).filter(isOwn);
  const restored = Object.entries(target.annotations).filter((entry) => !isOwn(entry));
  const body = [
    { op: "replace", path: "/spec/template", value: template },
    {
      // RFC 6902: only an existing member can be replaced.
      op: annotations ? "replace" : "add",
      path: "/metadata/annotations",
      value: Object.fromEntries([...kept, ...restored]),
    },
    // With an outdated version the API answers 409. For a failed `test` it would answer 422, as for a mistake.
    ...(resourceVersion ? [{ op: "replace", path: "/metadata/resourceVersion", value: resourceVersion }] : []),
  ];
  const after = await askDeployment(job, call, (api) =>
    api.patchNamespacedDeploymentWithHttpInfo({ name, namespace, body }),
  );
  return {
    done: `${called} was given the template of revision ${toRevision}.`,
    statusCode: after.statusCode,
    body: { ...summary(deployment, after), ...steps, changed: true },
  };
}

function chosen(called: string, revisions: readonly Revision[], wanted: number | undefined): Revision {
  const found = wanted === undefined ? revisions.at(-2) : revisions.find(({ revision }) => revision === wanted);
  if (found !== undefined) return found;
  const known = `It has ${revisions.map(({ revision }) => revision).join(", ") || "none"}.`;
  const missing = wanted === undefined ? "no revision to roll back to" : `no revision ${wanted}`;
  const message = `${called} has ${missing}. ${known} Older ones are removed (revisionHistoryLimit).`;
  throw new ExecutorFailure("revision_not_found", message);
}

function withoutHash(template: JsonObject): JsonObject {
  const metadata = objectOf(template["metadata"]);
  const { [HASH_LABEL]: _hash, ...labels } = objectOf(metadata["labels"]);
  return { ...template, metadata: { ...metadata, labels } };
}
