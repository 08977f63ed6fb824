import { ACTIONS } from "../../schema/contract/action.ts";
import type { ValueType } from "../../schema/contract/action-types.ts";
import type { Node } from "../../schema/contract/workflow.ts";
import type { PlacedGraph } from "../../worker/domain/graph/walk.ts";
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
  const called = node.name === undefined || node.name === "" ? node.id : node.name;
  const outputs = outputsOf(node).map(([name, type, detail]): Completion => ({
    path: `nodes.${node.id}.output.${name}`,
    type,
    detail: `${detail}, from ${called}`,
  }));
  const all: Completion[] =
    outputs.length === 0
      ? []
      : [{ path: `nodes.${node.id}.output`, type: "object", detail: `all that ${called} gave` }];
  const exit: Completion[] = outputs.some(({ path }) => path.endsWith(".output.exitCode"))
    ? [{ path: `nodes.${node.id}.exitCode`, type: "number", detail: `the exit code of ${called}` }]
    : [];
  return [
    ...outputs,
    ...exit,
    { path: `nodes.${node.id}.status`, type: "text", detail: `how ${called} ended: succeeded, failed, skipped …` },
    ...all,
  ];
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
      return HANDLER;
    case "condition":
    case "delay":
      return [];
  }
}

const FOR_EACH: readonly Output[] = [
  ["results", "list", "what each item gave, in order"],
  ["total", "number", "how many items there were"],
  ["succeeded", "number", "how many went well"],
  ["failed", "number", "how many failed"],
  ["notStarted", "number", "how many were not begun"],
];
const APPROVAL: readonly Output[] = [
  ["decision", "text", "approved, rejected or expired"],
  ["by", "text", "who answered"],
  ["comment", "text", "what was said with it"],
  ["at", "text", "when it was answered"],
  ["message", "text", "what was asked"],
];
const WORKFLOW: readonly Output[] = [
  ["outputs", "object", "what its last nodes gave, by node id"],
  ["status", "text", "how it ended"],
  ["executionId", "text", "the execution's id"],
];
const HANDLER: readonly Output[] = [
  ["message", "text", "what went wrong, in words"],
  ["code", "text", "what went wrong, as a stable code"],
  ["nodeId", "text", "the node that failed"],
  ["actionType", "text", "the action of the node that failed"],
  ["status", "text", "how the failed node ended"],
  ["exitCode", "number", "the failed node's exit code"],
  ["statusCode", "number", "the failed node's HTTP status"],
];
