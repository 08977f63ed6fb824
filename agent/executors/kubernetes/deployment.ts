import {
  AppsV1Api,
  type HttpInfo,
  type V1Deployment,
  type V1DeploymentSpec,
  type V1ObjectMeta,
  type V1PodTemplateSpec,
} from "@kubernetes/client-node";
import { type JsonObject, jsonObjectSchema } from "../../../schema/contract/json.ts";
import { isJsonObject, objectOf } from "../../../schema/contract/json-object.ts";
import { ExecutorFailure } from "../shared/failures.ts";
import type { Call, KubernetesJob } from "./job.ts";
import type { Subject } from "./names.ts";

export const REVISION = "deployment.kubernetes.io/revision";

export interface Deployment extends V1Deployment {
  metadata: V1ObjectMeta;
  spec: V1DeploymentSpec;
  /** As the API sent it: the library's models drop fields that they do not know. */
  template: JsonObject;
  statusCode: number;
}

export async function readDeployment(job: KubernetesJob, { namespace, name, called }: Subject): Promise<Deployment> {
  const call = { about: called, name, mayHave: null };
  return await askDeployment(job, call, (api) => api.readNamespacedDeploymentWithHttpInfo({ namespace, name }));
}

/** A call that is answered with the Deployment. */
export async function askDeployment(
  job: KubernetesJob,
  call: Call,
  ask: (api: AppsV1Api) => Promise<HttpInfo<V1Deployment>>,
): Promise<Deployment> {
  return await job.call(AppsV1Api, { ...call, kind: "Deployment" }, async (api) => {
    const info = await ask(api);
    const { metadata, spec } = info.data;
    const containers = spec?.template.spec?.containers;
    // The library's type has no null, and an API server can send one.
    const isComplete = Array.isArray(containers) && containers.every((container: unknown) => isJsonObject(container));
    if (!metadata || !spec || !isComplete) throw new TypeError("it has no containers");
    const template = objectOf(objectOf((await rawOf(info))["spec"])["template"]);
    return { ...info.data, metadata, spec, template, statusCode: info.httpStatusCode };
  });
}

/** An answer without the library's models. */
export async function rawOf({ body }: HttpInfo<unknown>): Promise<JsonObject> {
  return jsonObjectSchema.parse(JSON.parse(await body.text()));
}

/** A paused Deployment would not roll a change out. */
export function refusePaused({ spec }: Deployment, { called, name, namespace }: Subject): void {
  if (spec.paused !== true) return;
  const message = `${called} is paused. Resume it first: kubectl rollout resume deployment/${name} -n ${namespace}`;
  throw new ExecutorFailure("deployment_paused", message);
}

/** The wanted state: `{name, namespace, generation, replicas, images}`. */
export function summary({ name, namespace }: Subject, { metadata, spec }: Deployment): JsonObject {
  const [generation, replicas, images] = [metadata.generation ?? 0, wantedReplicas({ spec }), imagesOf(spec.template)];
  return { name, namespace, generation, replicas, images };
}

/** With the present state, which may be out of date right after a change. */
export function rolloutSummary(subject: Subject, deployment: Deployment): JsonObject {
  const { updatedReplicas = 0, readyReplicas = 0, availableReplicas = 0 } = deployment.status ?? {};
  const revision = revisionOf(deployment.metadata.annotations);
  return { ...summary(subject, deployment), revision, updatedReplicas, readyReplicas, availableReplicas };
}

/** The API sets it; the default is 1. */
export function wantedReplicas({ spec }: Pick<Deployment, "spec">): number {
  return spec.replicas ?? 1;
}

export function revisionOf(annotations: Record<string, string> | null | undefined): number | null {
  const text = annotations?.[REVISION] ?? "";
  return /^\d{1,15}$/u.test(text) ? Number(text) : null;
}

/** By container. */
export function imagesOf({ spec }: V1PodTemplateSpec): Record<string, string> {
  return Object.fromEntries((spec?.containers ?? []).map(({ name, image }) => [name, image ?? ""]));
}
