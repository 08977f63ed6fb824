import type { FieldError } from "../../../schema/contract/problem.ts";
import type { Graph } from "../../../schema/contract/workflow.ts";
import { WORKFLOW_MAX_DEPTH, WORKFLOW_MAX_NODES } from "../../../schema/limits.ts";
import type { PlacedGraph } from "./walk.ts";

/** The size of the whole definition (docs/design/limits.md#workflows). */
export function checkLimits(graph: Graph): FieldError[] {
  const { nodes, depth } = measure(graph);
  const problems: FieldError[] = [];
  if (nodes > WORKFLOW_MAX_NODES) {
    problems.push({
      path: "nodes",
      message: `has ${nodes} steps, including those inside For each; at most ${WORKFLOW_MAX_NODES} are allowed`,
    });
  }
  if (depth > WORKFLOW_MAX_DEPTH) {
    problems.push({
      path: "nodes",
      message: `nests For each ${depth} deep; at most ${WORKFLOW_MAX_DEPTH} levels are allowed`,
    });
  }
  return problems;
}

function measure(graph: Graph): { nodes: number; depth: number } {
  let nodes = graph.nodes.length;
  let depth = 1;
  for (const node of graph.nodes) {
    if (node.type !== "forEach") continue;
    const body = measure(node.body);
    nodes += body.nodes;
    depth = Math.max(depth, body.depth + 1);
  }
  return { nodes, depth };
}

/** Ids are unique in the whole definition, so that `nodes.<id>` means the same node everywhere. */
export function checkIds(graphs: readonly PlacedGraph[]): FieldError[] {
  const taken = new Set<string>();
  return graphs.flatMap(({ graph, at }) =>
    graph.nodes.flatMap(({ id }, index) => {
      const path = `${at}nodes.${index}`;
      const isTaken = taken.has(id);
      taken.add(id);
      return !isTaken ? [] : [{ path: `${path}.id`, message: "another step has this id: choose another id" }];
    }),
  );
}
