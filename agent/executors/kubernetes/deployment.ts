import {
  AppsV1Api,
  type HttpInfo,
  type V1Deployment,
  type V1DeploymentSpec,
  type V1ObjectMeta,
  type V1PodTemplateSpec,
} from "@kubernetes/client-node";
import { type JsonObject, jsonObjectSchema } from "../../../schema/contract/json.ts";
import { objectOf } from "../shared/json-members.ts";
import type { ClusterClient } from "./client.ts";
import type { Subject } from "./names.ts";
import { notKubernetes } from "./read-answer.ts";

export const REVISION = "deployment.kubernetes.io/revision";

export interface Deployment extends V1Deployment {
  metadata: V1ObjectMeta;
  spec: V1DeploymentSpec;
  /** As the API sent it: the library's models drop fields that they do not know. */
  template: JsonObject;
}

export async function readDeployment(client: ClusterClient, { namespace, name, called }: Subject): Promise<Deployment> {
  const call = { about: called, mayHave: null };
  const info = await client.call(AppsV1Api, call, (api) =>
    api.readNamespacedDeploymentWithHttpInfo({ namespace, name }),
  );
  return await asDeployment(client, info);
}

/** `mayHave` as in a call: for the answer to a change. */
export async function asDeployment(
  { where }: ClusterClient,
  info: HttpInfo<V1Deployment>,
  mayHave: string | null = null,
): Promise<Deployment> {
  const { metadata, spec } = info.data;
  const template = objectOf(objectOf((await rawOf(info))["spec"])["template"]);
  if (metadata !== undefined && Array.isArray(spec?.template?.spec?.containers)) {
    return { ...info.data, metadata, spec, template };
  }
  throw notKubernetes(where, "what it gives for a Deployment is none", mayHave);
}

/** An answer without the library's models. */
export async function rawOf({ body }: HttpInfo<unknown>): Promise<JsonObject> {
  return jsonObjectSchema.parse(JSON.parse(await body.text()));
}

/** What is wanted of it: `{name, namespace, generation, replicas, images}`. */
export function summary({ name, namespace }: Subject, { metadata, spec }: Deployment): JsonObject {
  const [generation, replicas, images] = [metadata.generation ?? 0, wantedReplicas({ spec }), imagesOf(spec.template)];
  return { name, namespace, generation, replicas, images };
}

/** With its state: right after a change the cluster has not updated it yet. */
export function rolloutSummary(subject: Subject, deployment: Deployment): JsonObject {
  const { metadata, status } = deployment;
  return {
    ...summary(subject, deployment),
    revision: revisionOf(metadata.annotations),
    updatedReplicas: status?.updatedReplicas ?? 0,
    readyReplicas: status?.readyReplicas ?? 0,
    availableReplicas: status?.availableReplicas ?? 0,
  };
}

/** The API fills it in; its default is 1. */
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
