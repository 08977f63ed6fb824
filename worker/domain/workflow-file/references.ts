import { isActionName, secretsFromOf } from "../../../schema/contract/action.ts";
import type { JsonValue } from "../../../schema/contract/json.ts";
import { isJsonObject } from "../../../schema/contract/json-object.ts";
import type { Graph } from "../../../schema/contract/workflow.ts";

/** Fields of a definition that name something outside it, and so must be translated for another deployment. */
export type ReferenceField = "connectionId" | "workflowId" | "groupId";

export interface Reference {
  readonly field: ReferenceField;
  readonly id: string;
  /** Below the definition: `nodes.2.body.nodes.0.connectionId`, or `nodes.0.params.secretsFrom`. */
  readonly path: string;
}

/** Every reference of a definition, in order. Parts of the wrong shape have none. */
export function referencesOf(definition: Graph | JsonValue | undefined): Reference[] {
  const found: Reference[] = [];
  walk(definition, "", (field, id, path) => {
    found.push({ field, id, path });
    return id;
  });
  return found;
}

/** The definition with its references replaced; nothing else changes, in any shape. */
export function replaceReferences(
  definition: JsonValue,
  replace: (field: ReferenceField, id: string) => string,
): JsonValue {
  return walk(definition, "", replace) ?? definition;
}

type Visit = (field: ReferenceField, id: string, path: string) => string;

function walk(graph: Graph | JsonValue | undefined, path: string, visit: Visit): JsonValue | undefined {
  if (!isJsonObject(graph) || !Array.isArray(graph["nodes"])) return undefined;
  const nodes = graph["nodes"].map((node: JsonValue, index) => {
    const at = `${path}nodes.${index}`;
    if (!isJsonObject(node)) return node;
    const changed: { [key: string]: JsonValue } = { ...node };
    if (node["type"] === "action" && typeof node["connectionId"] === "string") {
      changed["connectionId"] = visit("connectionId", node["connectionId"], `${at}.connectionId`);
    }
    const secretsFrom = node["type"] === "action" ? secretsConnectionOf(node) : null;
    if (secretsFrom !== null && isJsonObject(node["params"])) {
      const id = visit("connectionId", secretsFrom, `${at}.params.secretsFrom`);
      changed["params"] = { ...node["params"], secretsFrom: id };
    }
    if (node["type"] === "workflow" && typeof node["workflowId"] === "string") {
      changed["workflowId"] = visit("workflowId", node["workflowId"], `${at}.workflowId`);
    }
    const body = node["type"] === "forEach" ? walk(node["body"], `${at}.body.`, visit) : undefined;
    return body === undefined ? changed : { ...changed, body };
  });
  const { limits } = graph;
  return { ...graph, nodes, ...(Array.isArray(limits) ? { limits: limits.map(limitVisitor(path, visit)) } : {}) };
}

/** Only a whole definition has limits. */
function limitVisitor(path: string, visit: Visit) {
  return (limit: JsonValue, index: number): JsonValue => {
    if (!isJsonObject(limit) || typeof limit["groupId"] !== "string") return limit;
    return { ...limit, groupId: visit("groupId", limit["groupId"], `${path}limits.${index}.groupId`) };
  };
}

function secretsConnectionOf({ action, params }: { [key: string]: JsonValue }): string | null {
  return typeof action === "string" && isActionName(action) && isJsonObject(params)
    ? secretsFromOf(action, params)
    : null;
}
