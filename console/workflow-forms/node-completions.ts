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
      : [{ path: `nodes.${node.id}.output`, type: "object", detail: `the whole output of ${called}` }];
  const exit: Completion[] = outputs.some(({ path }) => path.endsWith(".output.exitCode"))
    ? [{ path: `nodes.${node.id}.exitCode`, type: "number", detail: `the exit code of ${called}` }]
    : [];
  return [
    ...outputs,
    ...exit,
    { path: `nodes.${node.id}.status`, type: "text", detail: `the status of ${called}: succeeded, failed, skipped …` },
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
  ["results", "list", "the output of each item, in order"],
  ["total", "number", "the number of items"],
  ["succeeded", "number", "the number of items that succeeded"],
  ["failed", "number", "the number of items that failed"],
  ["notStarted", "number", "the number of items that were not started"],
];
const APPROVAL: readonly Output[] = [
  ["decision", "text", "approved, rejected or expired"],
  ["by", "text", "the person who answered"],
  ["comment", "text", "the comment on the answer"],
  ["at", "text", "the time of the answer"],
  ["message", "text", "the question"],
];
const WORKFLOW: readonly Output[] = [
  ["outputs", "object", "the outputs of its last steps, by id"],
  ["status", "text", "the status of the run"],
  ["executionId", "text", "the run's id"],
];
const HANDLER: readonly Output[] = [
  ["message", "text", "the error message"],
  ["code", "text", "the stable error code"],
  ["nodeId", "text", "the failed step"],
  ["actionType", "text", "the failed step's action"],
  ["status", "text", "the failed step's status"],
  ["exitCode", "number", "the failed step's exit code"],
  ["statusCode", "number", "the failed step's HTTP status"],
];
