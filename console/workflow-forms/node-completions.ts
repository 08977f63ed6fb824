import { ACTIONS } from "../../schema/contract/action.ts";
import type { ValueType } from "../../schema/contract/action-types.ts";
import type { Node } from "../../schema/contract/workflow.ts";
import type { PlacedGraph } from "../../worker/domain/graph/walk.ts";
import { nodeTitle } from "../graph/describe-node.ts";
import { completions as text } from "../strings/en/completions.ts";
import type { Completion } from "./completion.ts";

/** The outputs of all nodes of a graph and of the graphs around it, also of nodes that may not have run yet. */
export function nodeCompletions(placed: PlacedGraph, nodeId: string): Completion[] {
  const found: Completion[] = [];
  for (let at: PlacedGraph | null = placed; at !== null; at = at.parent?.placed ?? null) {
    for (const node of at.graph.nodes) if (node.id !== nodeId) found.push(...completionsOf(node));
  }
  return found;
}

/** The outputs of a node as paths for the nodes after it. */
export function completionsOf(node: Node): Completion[] {
  const called = nodeTitle(node);
  const outputs = outputsOf(node).map(([name, type, detail]): Completion => ({
    path: `nodes.${node.id}.output.${name}`,
    type,
    detail: text.from(detail, called),
  }));
  const all: Completion[] =
    outputs.length === 0 ? [] : [{ path: `nodes.${node.id}.output`, type: "object", detail: text.output(called) }];
  const exit: Completion[] = outputs.some(({ path }) => path.endsWith(".output.exitCode"))
    ? [{ path: `nodes.${node.id}.exitCode`, type: "number", detail: text.exitCode(called) }]
    : [];
  return [...outputs, ...exit, { path: `nodes.${node.id}.status`, type: "text", detail: text.status(called) }, ...all];
}

type Output = readonly [name: string, type: ValueType, detail: string];

function outputsOf(node: Node): readonly Output[] {
  switch (node.type) {
    case "action":
      return Object.entries(ACTIONS[node.action].output).map(([name, { type, help }]): Output => [name, type, help]);
    case "forEach":
      return FOR_EACH;
    case "approval":
      return APPROVAL;
    case "workflow":
      return WORKFLOW;
    case "errorHandler":
      return ERROR;
    case "condition":
    case "delay":
      return [];
  }
}

const FOR_EACH: readonly Output[] = [
  ["results", "list", text.forEach.results],
  ["total", "number", text.forEach.total],
  ["succeeded", "number", text.forEach.succeeded],
  ["failed", "number", text.forEach.failed],
  ["notStarted", "number", text.forEach.notStarted],
];
const APPROVAL: readonly Output[] = [
  ["decision", "text", text.approval.decision],
  ["by", "text", text.approval.by],
  ["comment", "text", text.approval.comment],
  ["at", "text", text.approval.at],
  ["message", "text", text.approval.message],
];
const WORKFLOW: readonly Output[] = [
  ["outputs", "object", text.workflow.outputs],
  ["status", "text", text.workflow.status],
  ["executionId", "text", text.workflow.executionId],
];
/** The members of a failure: outputs of an error handler, and below `error`. */
export const ERROR: readonly Output[] = [
  ["message", "text", text.error.message],
  ["code", "text", text.error.code],
  ["nodeId", "text", text.error.nodeId],
  ["actionType", "text", text.error.actionType],
  ["status", "text", text.error.status],
  ["exitCode", "number", text.error.exitCode],
  ["statusCode", "number", text.error.statusCode],
];
