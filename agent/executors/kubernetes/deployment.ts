import { z } from "zod";
import { type JsonObject, jsonObjectSchema } from "../../../schema/contract/json.ts";
import { type ClusterClient } from "./client.ts";
import { called, pathOf, type Subject } from "./names.ts";
import { notKubernetes } from "./read-answer.ts";

export const REVISION = "deployment.kubernetes.io/revision";

const count = z.int().nullish();
const labels = z.record(z.string(), z.string()).nullish();
const conditionSchema = z.object({
  type: z.string(),
  status: z.string(),
  reason: z.string().nullish(),
  message: z.string().nullish(),
});
const deploymentSchema = z.object({
  metadata: z.object({
    uid: z.string().nullish(),
    generation: count,
    resourceVersion: z.string().nullish(),
    annotations: labels,
  }),
  spec: z.object({
    replicas: count,
    paused: z.boolean().nullish(),
    selector: z.object({
      matchLabels: labels,
      matchExpressions: z
        .array(z.object({ key: z.string(), operator: z.string(), values: z.array(z.string()).nullish() }))
        .nullish(),
    }),
    template: jsonObjectSchema,
  }),
  status: z
    .object({
      observedGeneration: count,
      replicas: count,
      updatedReplicas: count,
      readyReplicas: count,
      availableReplicas: count,
      conditions: z.array(conditionSchema).nullish(),
    })
    .nullish(),
});

/** What the actions look at in a Deployment (apps/v1). */
export type Deployment = z.infer<typeof deploymentSchema>;

export async function readDeployment(client: ClusterClient, subject: Subject): Promise<Deployment> {
  const request = { method: "GET", path: pathOf(subject), about: called(subject), mayHave: null } as const;
  return asDeployment(client, (await client.json(request)).value);
}

/** `mayHave` as in a request: for the answer to a change. */
export function asDeployment({ where }: ClusterClient, value: JsonObject, mayHave: string | null = null): Deployment {
  const result = deploymentSchema.safeParse(value);
  if (result.success) return result.data;
  throw notKubernetes(where, "what it gives for a Deployment is none", mayHave);
}

/** What is wanted of it: `{name, namespace, generation, replicas, images}`. */
export function summary({ name, namespace }: Subject, { metadata, spec }: Deployment): JsonObject {
  const [generation, replicas, images] = [metadata.generation ?? 0, wantedReplicas({ spec }), imagesOf(spec.template)];
  return { name, namespace, generation, replicas, images };
}

/** With what is there: right after a change the cluster has not written this anew yet. */
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

const podTemplateSchema = z.object({
  spec: z.object({ containers: z.array(z.object({ name: z.string(), image: z.string().nullish() })) }),
});

/** By container. */
export function imagesOf(template: JsonObject): Record<string, string> {
  const containers = podTemplateSchema.safeParse(template).data?.spec.containers ?? [];
  return Object.fromEntries(containers.map(({ name, image }) => [name, image ?? ""]));
}
