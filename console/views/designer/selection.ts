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
