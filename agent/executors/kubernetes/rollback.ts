import { isDeepStrictEqual } from "node:util";
import type { ActionParams } from "../../../schema/contract/action.ts";
import type { JsonObject, JsonValue } from "../../../schema/contract/json.ts";
import { ExecutorFailure } from "../shared/failures.ts";
import { objectOf } from "../shared/json-members.ts";
import { asDeployment, imagesOf, readDeployment, REVISION, revisionOf, summary } from "./deployment.ts";
import type { KubernetesJob } from "./job.ts";
import { called, pathOf, subject } from "./names.ts";
import { type Revision, revisionsOf } from "./revisions.ts";
import { waitForRollout } from "./rollout.ts";

/** The controller's own mark on each ReplicaSet's template; a Deployment's template has none. */
const HASH_LABEL = "pod-template-hash";
/** Annotations that belong to the Deployment and not to a revision of it; kubectl keeps the same ones. */
const OF_THE_DEPLOYMENT = new Set([
  "kubectl.kubernetes.io/last-applied-configuration",
  REVISION,
  "deployment.kubernetes.io/revision-history",
  "deployment.kubernetes.io/desired-replicas",
  "deployment.kubernetes.io/max-replicas",
  "deprecated.deployment.rollback.to",
]);

/** Gives a Deployment the pod template of an earlier revision, as `kubectl rollout undo`: the previous one, or a named one. */
export async function rollbackDeployment(
  { client, namespace, signal, secrets }: KubernetesJob,
  params: ActionParams<"kubernetes.rollbackDeployment">,
): Promise<JsonObject> {
  const deployment = subject("Deployment", params.namespace ?? namespace, params.deployment);
  const before = await readDeployment(client, deployment);
  const revisions = await revisionsOf(client, deployment, before);
  const target = chosen(called(deployment), revisions, params.revision);
  if (before.spec.paused === true) {
    const message = `${called(deployment)} is paused and cannot be rolled back. Resume it first: kubectl rollout resume deployment/${deployment.name} -n ${deployment.namespace}`;
    throw new ExecutorFailure("deployment_paused", message);
  }
  const fromRevision = revisionOf(before.metadata.annotations);
  const steps = { fromRevision, toRevision: target.revision, imagesBefore: imagesOf(before.spec.template) };
  const template = withoutHash(target.template);
  const same = isDeepStrictEqual(comparable(template), comparable(withoutHash(before.spec.template)));
  const done = same
    ? `${called(deployment)} has the template of revision ${target.revision} already.`
    : `${called(deployment)} was given the template of revision ${target.revision}.`;
  let change: { statusCode: number; body: JsonObject } = {
    statusCode: 200,
    body: { ...summary(deployment, before), ...steps, changed: false },
  };
  if (!same) {
    const annotations = rolledBackAnnotations(before.metadata.annotations ?? {}, target.annotations);
    const { status, value } = await client.json({
      method: "PATCH",
      path: pathOf(deployment),
      body: {
        contentType: "application/json-patch+json",
        value: [
          { op: "replace", path: "/spec/template", value: template },
          // RFC 6902: what is not there cannot be replaced.
          { op: before.metadata.annotations ? "replace" : "add", path: "/metadata/annotations", value: annotations },
        ],
      },
      about: called(deployment),
      mayHave: "Whether it was rolled back is not known: look at its revision.",
    });
    change = {
      statusCode: status,
      body: { ...summary(deployment, asDeployment(client, value)), ...steps, changed: true },
    };
  }
  if (params.wait !== true) return change;
  return await waitForRollout(client, deployment, { done, signal, secrets, ...change });
}

function chosen(name: string, revisions: readonly Revision[], wanted: number | undefined): Revision {
  const known = revisions.map(({ revision }) => revision);
  if (wanted !== undefined) {
    const found = revisions.find(({ revision }) => revision === wanted);
    if (found !== undefined) return found;
    const listed = known.length === 0 ? "It has no revisions." : `It has ${known.join(", ")}.`;
    throw new ExecutorFailure(
      "revision_not_found",
      `${name} has no revision ${wanted}. ${listed} Older ones are removed (revisionHistoryLimit).`,
    );
  }
  const previous = revisions.at(-2);
  if (previous !== undefined) return previous;
  const only = known.length === 0 ? "it has no revisions" : `revision ${known.join()} is its only one`;
  throw new ExecutorFailure("revision_not_found", `${name} has nothing to roll back to: ${only}.`);
}

function rolledBackAnnotations(
  own: Readonly<Record<string, string>>,
  ofRevision: Readonly<Record<string, string>>,
): Record<string, string> {
  const kept = Object.entries(own).filter(([name]) => OF_THE_DEPLOYMENT.has(name));
  const restored = Object.entries(ofRevision).filter(([name]) => !OF_THE_DEPLOYMENT.has(name));
  return Object.fromEntries([...kept, ...restored]);
}

function withoutHash(template: JsonObject): JsonObject {
  const metadata = objectOf(template["metadata"]);
  const { [HASH_LABEL]: ignored, ...labels } = objectOf(metadata["labels"]);
  void ignored;
  return { ...template, metadata: { ...metadata, labels } };
}

/** A field that is null is a field that is not there: API servers of different versions write the one or the other. */
function comparable(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(comparable);
  if (typeof value !== "object" || value === null) return value;
  const present = Object.entries(value).filter(([, inner]) => inner !== null);
  return Object.fromEntries(present.map(([name, inner]) => [name, comparable(inner)]));
}
