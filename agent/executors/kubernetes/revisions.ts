import { AppsV1Api } from "@kubernetes/client-node";
import type { JsonObject } from "../../../schema/contract/json.ts";
import { objectOf } from "../../../schema/contract/json-object.ts";
import { listOf, textIn } from "../shared/json-members.ts";
import { type Deployment, rawOf, revisionOf } from "./deployment.ts";
import type { KubernetesJob } from "./job.ts";
import type { Subject } from "./names.ts";

const PAGE_SIZE = 50;
const PAGES_MAX = 40;

/** The parts of a ReplicaSet that a rollback needs. */
export interface Revision {
  revision: number;
  annotations: Record<string, string>;
  /** As the API sent it. */
  template: JsonObject;
}

/** The revisions of a Deployment, oldest first: the ReplicaSets that it controls. Others may have the same labels. */
export async function revisionsOf(
  job: KubernetesJob,
  { namespace, called }: Subject,
  { metadata, spec }: Deployment,
): Promise<Revision[]> {
  const found: Revision[] = [];
  const call = { about: `The ReplicaSets of ${called}`, mayHave: null, kind: "ReplicaSetList" };
  // Only the labels, without expressions: the owner decides.
  const labels = Object.entries(spec.selector.matchLabels ?? {}).map(([name, value]) => `${name}=${value}`);
  const query = { namespace, limit: PAGE_SIZE, ...(labels.length === 0 ? {} : { labelSelector: labels.join(",") }) };
  let next = "";
  for (let page = 0; page === 0 || (next !== "" && page < PAGES_MAX); page += 1) {
    const at = next === "" ? query : { ...query, _continue: next };
    next = await job.call(AppsV1Api, call, async (api) => {
      const info = await api.listNamespacedReplicaSetWithHttpInfo(at);
      const { items, metadata: list } = await rawOf(info);
      for (const [index, item] of info.data.items.entries()) {
        const owner = item.metadata?.ownerReferences?.find(({ controller }) => controller === true);
        const annotations = item.metadata?.annotations ?? {};
        const revision = revisionOf(annotations);
        if (owner === undefined || owner.uid !== metadata.uid || revision === null) continue;
        found.push({
          revision,
          annotations,
          template: objectOf(objectOf(objectOf(listOf(items)[index])["spec"])["template"]),
        });
      }
      return textIn(objectOf(list)["continue"]) ?? "";
    });
  }
  return found.toSorted((a, b) => a.revision - b.revision);
}
