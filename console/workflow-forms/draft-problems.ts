import type { FieldError } from "../../schema/contract/problem.ts";
import type { Problem } from "./problems.ts";
import type { Edge, Graph, Node } from "../../schema/contract/workflow.ts";
import type { WorkflowInput } from "../../schema/contract/management.ts";

/** A problem or a warning of a draft. */
export interface DraftProblem extends Problem {
  /** Null for a problem of the trigger or of the whole workflow. */
  nodeId: string | null;
  /** The node in the draft that was checked; null also for a node that is not there. */
  node: Node | null;
  /** The edge with the problem. */
  edge: Edge | null;
  /** The path relative to the node or the trigger: `params.script`. */
  within: string;
}

/** Finds the node of each path, such as `definition.nodes.2.body.nodes.0.params.script`. */
export function placeProblems(
  { definition }: Pick<WorkflowInput, "definition">,
  found: readonly FieldError[],
  severity: Problem["severity"],
): DraftProblem[] {
  return found.map((one) => {
    const [first, ...rest] = one.path.split(".");
    if (first !== "definition")
      return { ...one, severity, nodeId: null, node: null, edge: null, within: rest.join(".") };
    return { ...one, severity, ...placeIn(definition, rest, null) };
  });
}

/** The problems of a node, with paths relative to it. */
export const problemsOfNode = (problems: readonly DraftProblem[], id: string): Problem[] =>
  problems.flatMap((problem) => (problem.nodeId === id ? [{ ...problem, path: problem.within }] : []));

/** The problems of the trigger, with paths relative to it. */
export const problemsOfTrigger = (problems: readonly DraftProblem[]): Problem[] =>
  problems.flatMap((problem) => (isOfTrigger(problem.path) ? [{ ...problem, path: problem.within }] : []));

export function isOfTrigger(path: string): boolean {
  return path === "trigger" || path.startsWith("trigger.");
}

function placeIn(
  graph: Graph,
  path: readonly string[],
  container: Node | null,
): Pick<DraftProblem, "nodeId" | "node" | "edge" | "within"> {
  const [list, index = "", ...rest] = path;
  const whole = { nodeId: container?.id ?? null, node: container, edge: null, within: path.join(".") };
  if (index === "") return whole;
  if (list === "edges") {
    const edge = graph.edges[Number(index)] ?? null;
    const from = graph.nodes.find(({ id }) => id === edge?.from) ?? container;
    return { nodeId: edge?.from ?? container?.id ?? null, node: from, edge, within: "" };
  }
  if (list === "layout") {
    return { nodeId: index, node: graph.nodes.find(({ id }) => id === index) ?? null, edge: null, within: "" };
  }
  const node = list === "nodes" ? graph.nodes[Number(index)] : undefined;
  if (node === undefined) return whole;
  const [field, ...below] = rest;
  if (node.type === "forEach" && field === "body") return placeIn(node.body, below, node);
  return { nodeId: node.id, node, edge: null, within: rest.join(".") };
}
