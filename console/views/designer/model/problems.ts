import type { FieldError } from "../../../../schema/contract/problem.ts";
import type { Edge, Graph } from "../../../../schema/contract/workflow.ts";
import type { Draft } from "./commands.ts";

/** A problem of a draft, and the node it belongs to; null for those of the trigger, and of the workflow as a whole. */
export interface DraftProblem extends FieldError {
  nodeId: string | null;
  /** The edge that it is about. */
  edge: Edge | null;
  /** Below the node, or below the trigger: `params.script`. */
  within: string;
}

/** Finds for each path, `definition.nodes.2.body.nodes.0.params.script`, the node that it is in. */
export function placeProblems({ definition }: Draft, errors: readonly FieldError[]): DraftProblem[] {
  return errors.map((error) => {
    const [first, ...rest] = error.path.split(".");
    if (first !== "definition") return { ...error, nodeId: null, edge: null, within: rest.join(".") };
    return { ...error, ...placeIn(definition, rest, null) };
  });
}

export const problemsOfNode = (problems: readonly DraftProblem[], id: string): FieldError[] =>
  problems.flatMap(({ nodeId, within, message }) => (nodeId === id ? [{ path: within, message }] : []));

export const problemsOfTrigger = (problems: readonly DraftProblem[]): FieldError[] =>
  problems.flatMap(({ path, within, message }) => (isOfTrigger(path) ? [{ path: within, message }] : []));

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
