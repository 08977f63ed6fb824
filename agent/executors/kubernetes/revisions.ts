import { AppsV1Api, type V1LabelSelector } from "@kubernetes/client-node";
import type { JsonObject } from "../../../schema/contract/json.ts";
import { listOf, objectOf, textIn } from "../shared/json-members.ts";
import type { ClusterClient } from "./client.ts";
import { type Deployment, rawOf, revisionOf } from "./deployment.ts";
import type { Subject } from "./names.ts";
import { notKubernetes } from "./read-answer.ts";

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
  client: ClusterClient,
  { namespace, called }: Subject,
  { metadata, spec }: Deployment,
): Promise<Revision[]> {
  const found: Revision[] = [];
  const call = { about: `The ReplicaSets of ${called}`, mayHave: null };
  const query = { namespace, labelSelector: labelSelector(spec.selector), limit: PAGE_SIZE };
  let next: string | null = null;
  for (let page = 0; page < PAGES_MAX; page += 1) {
    const more = next === null ? {} : { _continue: next };
    const info = await client.call(AppsV1Api, call, (api) =>
      api.listNamespacedReplicaSetWithHttpInfo({ ...query, ...more }),
    );
    if (!Array.isArray(info.data.items)) throw notKubernetes(client.where, "what it gives for ReplicaSets are none");
    const { items, metadata: list } = await rawOf(info);
    for (const [index, item] of info.data.items.entries()) {
      const owner = item.metadata?.ownerReferences?.find(({ controller }) => controller === true);
      const annotations = item.metadata?.annotations ?? {};
      const revision = revisionOf(annotations);
      if (owner === undefined || owner.uid !== metadata.uid || revision === null) continue;
      const template = objectOf(objectOf(objectOf(listOf(items)[index])["spec"])["template"]);
      found.push({ revision, annotations, template });
    }
    next = textIn(objectOf(list)["continue"]);
    if (next === null) break;
  }
  return found.toSorted((a, b) => a.revision - b.revision);
}

/** A selector as its text (Kubernetes, "Labels and Selectors"). */
function labelSelector({ matchLabels, matchExpressions }: V1LabelSelector): string {
  const equal = Object.entries(matchLabels ?? {}).map(([name, value]) => `${name}=${value}`);
  const expressions = (matchExpressions ?? []).map(({ key, operator, values = [] }) => {
    switch (operator) {
      case "In":
        return `${key} in (${values.join(",")})`;
      case "NotIn":
        return `${key} notin (${values.join(",")})`;
      case "DoesNotExist":
        return `!${key}`;
      default:
        return key;
    }
  });
  return [...equal, ...expressions].join(",");
}
