import type { Condition, ConditionGroup } from "../../../../schema/contract/condition.ts";
import type { JsonObject, JsonValue } from "../../../../schema/contract/json.ts";
import type { Definition, Graph, Node } from "../../../../schema/contract/workflow.ts";

/** Renames nodes in the definition: their ids, the ends of edges, references in templates, and positions. */
export function renameNodes(definition: Definition, names: ReadonlyMap<string, string>): Definition {
  if (names.size === 0) return definition;
  const { layout, ...rest } = definition;
  const renamed = { ...rest, ...renameInGraph(definition, names) };
  if (layout === undefined) return renamed;
  return {
    ...renamed,
    layout: Object.fromEntries(Object.entries(layout).map(([id, place]) => [names.get(id) ?? id, place])),
  };
}

/** Like `renameNodes`, for a graph without positions. */
export function renameInGraph({ nodes, edges }: Graph, names: ReadonlyMap<string, string>): Graph {
  const nameOf = (id: string) => names.get(id) ?? id;
  return {
    nodes: nodes.map((node) => ({ ...referencesRenamed(node, names), id: nameOf(node.id) })),
    edges: edges.map(({ from, to, on }) => ({ from: nameOf(from), to: nameOf(to), on })),
  };
}

function referencesRenamed(node: Node, names: ReadonlyMap<string, string>): Node {
  const text = (value: string) => renameInText(value, names);
  switch (node.type) {
    case "action":
      return { ...node, params: inObject(node.params, text) };
    case "condition":
      return { ...node, when: inGroup(node.when, names) };
    case "forEach":
      return {
        ...node,
        items: text(node.items),
        ...(node.check === undefined ? {} : { check: inGroup(node.check, names) }),
        body: renameInGraph(node.body, names),
      };
    case "approval":
      return { ...node, message: text(node.message) };
    case "workflow":
      return node.variables === undefined ? node : { ...node, variables: inObject(node.variables, text) };
    case "delay":
    case "errorHandler":
      return node;
  }
}

/** `{{nodes.check.output}}` names a node; without braces it is plain text. */
function renameInText(value: string, names: ReadonlyMap<string, string>): string {
  return value.replaceAll(/(\{\{\s*nodes\.)([A-Za-z_][\w-]*)(?=[.\s}|[])/gu, (whole, before: string, id: string) => {
    const name = names.get(id);
    return name === undefined ? whole : `${before}${name}`;
  });
}

/** A condition's field is a path with or without braces. */
function renameInField(field: string, names: ReadonlyMap<string, string>): string {
  if (field.includes("{{")) return renameInText(field, names);
  return field.replace(/^(\s*nodes\.)([A-Za-z_][\w-]*)(?=[.\s[]|$)/u, (whole, before: string, id: string) => {
    const name = names.get(id);
    return name === undefined ? whole : `${before}${name}`;
  });
}

function inGroup({ logic, conditions }: ConditionGroup, names: ReadonlyMap<string, string>): ConditionGroup {
  const inMember = (member: Condition | ConditionGroup): Condition | ConditionGroup => {
    if ("conditions" in member) return inGroup(member, names);
    const field = renameInField(member.field, names);
    if (member.value === undefined) return { ...member, field };
    return { ...member, field, value: inValue(member.value, (text) => renameInText(text, names)) };
  };
  return { logic, conditions: conditions.map(inMember) };
}

function inObject(object: JsonObject, change: (text: string) => string): JsonObject {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, inValue(value, change)]));
}

function inValue(value: JsonValue, change: (text: string) => string): JsonValue {
  if (typeof value === "string") return change(value);
  if (Array.isArray(value)) return value.map((member) => inValue(member, change));
  return typeof value === "object" && value !== null ? inObject(value, change) : value;
}
