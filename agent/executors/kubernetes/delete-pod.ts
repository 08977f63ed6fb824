import { z } from "zod";
import type { ActionParams } from "../../../schema/contract/action.ts";
import type { JsonObject } from "../../../schema/contract/json.ts";
import type { KubernetesJob } from "./job.ts";
import { called, pathOf, subject } from "./names.ts";

/** What the API answers is the Pod as it ends, or a Status when it is gone at once. */
const answerSchema = z.object({
  metadata: z
    .object({
      uid: z.string().nullish(),
      deletionGracePeriodSeconds: z.int().nullish(),
      ownerReferences: z.array(z.object({ kind: z.string(), name: z.string() })).nullish(),
    })
    .nullish(),
  spec: z.object({ nodeName: z.string().nullish() }).nullish(),
});

/** Deletes a Pod. A grace period of 0 ends it at once, without waiting for its node, as `kubectl delete --force`. */
export async function deletePod(
  { client, namespace }: KubernetesJob,
  params: ActionParams<"kubernetes.deletePod">,
): Promise<JsonObject> {
  const pod = subject("Pod", params.namespace ?? namespace, params.pod);
  const { gracePeriodSeconds } = params;
  const { status, value } = await client.json({
    method: "DELETE",
    path: pathOf(pod),
    body: {
      contentType: "application/json",
      value: {
        apiVersion: "v1",
        kind: "DeleteOptions",
        propagationPolicy: "Background",
        ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
      },
    },
    about: called(pod),
    mayHave: "Whether it was deleted is not known: look whether it still is there.",
  });
  const { metadata, spec } = answerSchema.safeParse(value).data ?? { metadata: null, spec: null };
  const owner = metadata?.ownerReferences?.[0];
  return {
    statusCode: status,
    body: {
      name: pod.name,
      namespace: pod.namespace,
      uid: metadata?.uid ?? null,
      node: spec?.nodeName ?? null,
      gracePeriodSeconds: metadata?.deletionGracePeriodSeconds ?? gracePeriodSeconds ?? null,
      // Nothing puts a pod without an owner back.
      owner: owner === undefined ? null : `${owner.kind}/${owner.name}`,
    },
  };
}
