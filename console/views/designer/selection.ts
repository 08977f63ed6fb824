import { graphsOf } from "../../../worker/domain/graph/walk.ts";
import { edgeId } from "../../graph/layout.ts";
import type { Draft } from "./model/commands.ts";
import { TRIGGER_ID } from "./model/trigger.ts";

/** The selection on the canvas: ids of nodes (also the trigger's) and of edges. */
export interface Selection {
  nodes: readonly string[];
  edges: readonly string[];
}

export const NOTHING: Selection = { nodes: [], edges: [] };

export function onlyNode(id: string): Selection {
  return { nodes: [id], edges: [] };
}

/** The selection after React Flow's changes. */
export function selectionAfter(
  { nodes, edges }: Selection,
  kind: "nodes" | "edges",
  changes: readonly { id: string; selected: boolean }[],
): Selection {
  if (changes.length === 0) return { nodes, edges };
  const ids = new Set(kind === "nodes" ? nodes : edges);
  for (const { id, selected } of changes) {
    if (selected) ids.add(id);
    else ids.delete(id);
  }
  return kind === "nodes" ? { nodes: [...ids], edges } : { nodes, edges: [...ids] };
}

/** The selection without nodes and edges that the draft no longer has; the same object when it has all of them. */
export function selectionIn({ definition }: Draft, selection: Selection): Selection {
  const graphs = graphsOf(definition).map(({ graph }) => graph);
  const nodes = new Set([TRIGGER_ID, ...graphs.flatMap((graph) => graph.nodes.map(({ id }) => id))]);
  const edges = new Set(graphs.flatMap((graph) => graph.edges.map(edgeId)));
  const [keptNodes, keptEdges] = [
    selection.nodes.filter((id) => nodes.has(id)),
    selection.edges.filter((id) => edges.has(id)),
  ];
  const isWhole = keptNodes.length === selection.nodes.length && keptEdges.length === selection.edges.length;
  return isWhole ? selection : { nodes: keptNodes, edges: keptEdges };
}
