import type { ConditionGroup } from "../../../schema/contract/condition.ts";
import type { FieldError } from "../../../schema/contract/problem.ts";
import type { Definition, Node, Trigger, TriggerType } from "../../../schema/contract/workflow.ts";
import { fieldPath } from "../condition.ts";
import { languageOfParam } from "../render-params.ts";
import { indexOf } from "../run/graph-index.ts";
import type { GraphIndex } from "../run/graph-index.ts";
import { pathsInCode } from "../template/code.ts";
import { templatesIn } from "../template/parse.ts";

/** What each trigger brings along (specification, "Template variables"). */
const TRIGGER_ROOTS = {
  webhook: ["webhook", "inputs"],
  manual: ["inputs", "webhook"],
  incident: ["incident"],
  cron: ["cron"],
} as const satisfies Record<TriggerType, readonly string[]>;

const NODE_FIELDS = new Set(["output", "status", "exitCode"]);
const ERROR_FIELDS = new Set(["message", "nodeId", "actionType", "exitCode", "statusCode", "output", "code", "status"]);

interface Reference {
  /** Where it stands, below the node: `params.command`. */
  readonly at: string;
  readonly path: readonly string[];
}

/** Whether what templates name can be there when their node runs. */
export function checkReferences(definition: Definition, trigger: Trigger): FieldError[] {
  const graph = indexOf(definition);
  const afterFailure = nodesAfterFailure(graph);
  return definition.nodes.flatMap((node, index) => {
    const references = referencesOf(node);
    if (references.length === 0) return [];
    const earlier = earlierNodes(node.id, graph);
    return references.flatMap(({ at, path }) => {
      const message = problemOf(path, node.id, trigger.type, graph, earlier, afterFailure);
      return message === null ? [] : [{ path: `nodes.${index}.${at}`, message: `{{${path.join(".")}}}: ${message}` }];
    });
  });
}

function problemOf(
  [root = "", ...path]: readonly string[],
  nodeId: string,
  trigger: TriggerType,
  graph: GraphIndex,
  earlier: ReadonlySet<string>,
  afterFailure: ReadonlySet<string>,
): string | null {
  if (root === "nodes") return nodeProblem(path, nodeId, graph, earlier);
  if (root === "foreach") return "foreach is known inside a forEach only, and these are not available yet";
  if (root === "error") {
    if (!afterFailure.has(nodeId)) return "error is known behind an errorHandler or a failure edge only";
    return path[0] !== undefined && ERROR_FIELDS.has(path[0]) ? null : `error has ${[...ERROR_FIELDS].join(", ")}`;
  }
  const roots: readonly string[] = TRIGGER_ROOTS[trigger];
  const shown = [...roots, "nodes"].join(", ");
  if (!roots.includes(root)) return `a workflow with a ${trigger} trigger knows ${shown}, not ${root}`;
  if (root === "cron" && path.join(".") !== "scheduledAt") return "cron has scheduledAt";
  return null;
}

function nodeProblem(
  [nodeId = "", field]: readonly string[],
  own: string,
  graph: GraphIndex,
  earlier: ReadonlySet<string>,
): string | null {
  if (!graph.nodes.has(nodeId)) return `there is no node ${nodeId}`;
  if (nodeId === own) return "a node cannot use its own result";
  if (!earlier.has(nodeId)) return `${nodeId} cannot have run before this node: lead an edge from it to here`;
  return field !== undefined && NODE_FIELDS.has(field) ? null : `of a node there is ${[...NODE_FIELDS].join(", ")}`;
}

/** Every template of a node that is replaced; what stands in a comment of code is not. */
function referencesOf(node: Node): Reference[] {
  if (node.type === "condition") return inGroup(node.when, "when");
  if (node.type !== "action") return [];
  return Object.entries(node.params).flatMap(([name, value]) => {
    const language = languageOfParam(node.action, name, node.params);
    if (language === null || typeof value !== "string") return inData(value, `params.${name}`);
    return pathsInCode(language, value).map((path) => ({ at: `params.${name}`, path }));
  });
}

function inGroup({ conditions }: ConditionGroup, at: string): Reference[] {
  return conditions.flatMap((member, index) => {
    const place = `${at}.conditions.${index}`;
    if ("conditions" in member) return inGroup(member, place);
    const path = fieldPath(member.field);
    const field = path === null ? [] : [{ at: `${place}.field`, path }];
    return [...field, ...inData(member.value, `${place}.value`)];
  });
}

function inData(value: Parameters<typeof templatesIn>[0], at: string): Reference[] {
  return templatesIn(value, at).flatMap(({ at: place, parsed }) =>
    parsed.segments.flatMap((segment) => (segment.type === "path" ? [{ at: place, path: segment.path }] : [])),
  );
}

/** The nodes that may have ended when this one runs: those that lead to it; behind a root handler, all before that. */
function earlierNodes(nodeId: string, graph: GraphIndex): Set<string> {
  const earlier = new Set([nodeId]);
  for (const id of earlier)
    for (const edge of graph.nodes.get(id)?.incoming ?? []) if (graph.nodes.has(edge.from)) earlier.add(edge.from);
  if (graph.rootHandler !== null && earlier.has(graph.rootHandler)) {
    for (const id of graph.nodes.keys()) if (!graph.behindHandler.has(id)) earlier.add(id);
  }
  return earlier;
}

function nodesAfterFailure(graph: GraphIndex): Set<string> {
  const after = new Set<string>();
  if (graph.rootHandler !== null) after.add(graph.rootHandler);
  for (const { incoming } of graph.nodes.values())
    for (const edge of incoming) if (edge.on === "failure") after.add(edge.to);
  for (const id of after) for (const edge of graph.nodes.get(id)?.outgoing ?? []) after.add(edge.to);
  return after;
}
