import type { FieldError } from "../../../../schema/contract/problem.ts";
import type { Problem } from "../../../workflow-forms/problems.ts";
import type { Edge, Graph } from "../../../../schema/contract/workflow.ts";
import type { Draft } from "./commands.ts";

/** A problem or a warning of a draft. */
export interface DraftProblem extends Problem {
  /** Null for a problem of the trigger or of the whole workflow. */
  nodeId: string | null;
  /** The edge with the problem. */
  edge: Edge | null;
  /** The path relative to the node or the trigger: `params.script`. */
  within: string;
}

/** Finds the node of each path, such as `definition.nodes.2.body.nodes.0.params.script`. */
export function placeProblems(
  { definition }: Draft,
  found: readonly FieldError[],
  severity: Problem["severity"],
): DraftProblem[] {
  return found.map((one) => {
    const [first, ...rest] = one.path.split(".");
    if (first !== "definition") return { ...one, severity, nodeId: null, edge: null, within: rest.join(".") };
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
  container: string | null,
): Pick<DraftProblem, "nodeId" | "edge" | "within"> {
  const [list, index = "", ...rest] = path;
  if (index === "") return { nodeId: container, edge: null, within: path.join(".") };
  if (list === "edges") {
    const edge = graph.edges[Number(index)] ?? null;
    return { nodeId: edge?.from ?? container, edge, within: "" };
  }
  const node = list === "nodes" ? graph.nodes[Number(index)] : undefined;
  if (list === "layout") return { nodeId: index, edge: null, within: "" };
  if (node === undefined) return { nodeId: container, edge: null, within: path.join(".") };
  const [field, ...below] = rest;
  if (node.type === "forEach" && field === "body") return placeIn(node.body, below, node.id);
  return { nodeId: node.id, edge: null, within: rest.join(".") };
}
