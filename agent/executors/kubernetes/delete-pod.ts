import { CoreV1Api } from "@kubernetes/client-node";
import type { ActionParams } from "../../../schema/contract/action.ts";
import type { JsonObject } from "../../../schema/contract/json.ts";
import { objectOf } from "../../../schema/contract/json-object.ts";
import { textIn } from "../shared/json-members.ts";
import { rawOf } from "./deployment.ts";
import type { KubernetesJob } from "./job.ts";
import { subject } from "./names.ts";

/** Deletes a Pod. A grace period of 0 ends it immediately, not waiting for its node, as `kubectl delete --force`. */
export async function deletePod(job: KubernetesJob, params: ActionParams<"kubernetes.deletePod">): Promise<JsonObject> {
  const { name, namespace, called } = subject("Pod", params.namespace ?? job.namespace, params.pod);
  const { gracePeriodSeconds } = params;
  const mayHave = "It is not known whether the pod was deleted. Check whether it still exists.";
  const call = { about: called, mayHave, kind: "Pod", name, orStatus: true };
  const options = {
    apiVersion: "v1",
    kind: "DeleteOptions",
    propagationPolicy: "Background",
    ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
  };
  const { statusCode, data, details } = await job.call(CoreV1Api, call, async (api) => {
    const info = await api.deleteNamespacedPodWithHttpInfo({ name, namespace, body: options });
    return { statusCode: info.httpStatusCode, data: info.data, details: objectOf((await rawOf(info))["details"]) };
  });
  // The Pod as it ends, or a Status with details when it is deleted immediately.
  const { metadata, spec } = data;
  const owner = metadata?.ownerReferences?.[0];
  return {
    statusCode,
    body: {
      name,
      namespace,
      uid: metadata?.uid ?? textIn(details["uid"]),
      node: spec?.nodeName ?? null,
      gracePeriodSeconds: metadata?.deletionGracePeriodSeconds ?? gracePeriodSeconds ?? null,
      // A pod without an owner is not replaced.
      owner: owner === undefined ? null : `${owner.kind}/${owner.name}`,
    },
  };
}
