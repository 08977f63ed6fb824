import { z } from "zod";
import { type JsonObject, jsonObjectSchema } from "../../../schema/contract/json.ts";
import type { ClusterClient } from "./client.ts";
import { type Deployment, revisionOf } from "./deployment.ts";
import { called, type Subject } from "./names.ts";
import { notKubernetes } from "./read-answer.ts";

const PAGE_SIZE = "50";
const PAGES_MAX = 40;

const pageSchema = z.object({
  metadata: z.object({ continue: z.string().nullish() }).nullish(),
  items: z.array(
    z.object({
      metadata: z.object({
        annotations: z.record(z.string(), z.string()).nullish(),
        ownerReferences: z.array(z.object({ uid: z.string(), controller: z.boolean().nullish() })).nullish(),
      }),
      spec: z.object({ template: jsonObjectSchema }),
    }),
  ),
});

/** A ReplicaSet as what it is to a rollback. */
export interface Revision {
  revision: number;
  annotations: Record<string, string>;
  template: JsonObject;
}

/** The revisions of a Deployment, oldest first: the ReplicaSets that it controls. Others may have the same labels. */
export async function revisionsOf(
  client: ClusterClient,
  { kind, namespace, name }: Subject,
  { metadata, spec }: Deployment,
): Promise<Revision[]> {
  const found: Revision[] = [];
  let next = "";
  for (let page = 0; page < PAGES_MAX; page += 1) {
    const { value } = await client.json({
      method: "GET",
      path: `/apis/apps/v1/namespaces/${namespace}/replicasets`,
      query: {
        labelSelector: labelSelector(spec.selector),
        limit: PAGE_SIZE,
        ...(next === "" ? {} : { continue: next }),
      },
      about: `The ReplicaSets of ${called({ kind, namespace, name })}`,
      mayHave: null,
    });
    const result = pageSchema.safeParse(value);
    if (!result.success) throw notKubernetes(client.where, "what it gives for ReplicaSets are none");
    for (const item of result.data.items) {
      const owner = (item.metadata.ownerReferences ?? []).find(({ controller }) => controller === true);
      const revision = revisionOf(item.metadata.annotations);
      if (owner === undefined || owner.uid !== metadata.uid || revision === null) continue;
      found.push({ revision, annotations: item.metadata.annotations ?? {}, template: item.spec.template });
    }
    next = result.data.metadata?.continue ?? "";
    if (next === "") break;
  }
  return found.toSorted((a, b) => a.revision - b.revision);
}

/** A selector as its text (Kubernetes, "Labels and Selectors"). */
export function labelSelector({ matchLabels, matchExpressions }: Deployment["spec"]["selector"]): string {
  const equal = Object.entries(matchLabels ?? {}).map(([name, value]) => `${name}=${value}`);
  const expressions = (matchExpressions ?? []).map(({ key, operator, values }) => {
    switch (operator) {
      case "In":
        return `${key} in (${(values ?? []).join(",")})`;
      case "NotIn":
        return `${key} notin (${(values ?? []).join(",")})`;
      case "DoesNotExist":
        return `!${key}`;
      default:
        return key;
    }
  });
  return [...equal, ...expressions].join(",");
}
