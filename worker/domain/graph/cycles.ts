import type { Edge, Node } from "../../../schema/contract/workflow.ts";

export interface Cycle {
  /** The cycle's nodes in the order of its edges. */
  readonly path: readonly string[];
  /** The edge from the last node to the first. */
  readonly closedBy: Edge;
}

/** Cycles of a graph, each node in at most one of them: a depth-first search without recursion. */
export function findCycles(nodes: readonly Node[], edges: readonly Edge[]): Cycle[] {
  const outgoing = Map.groupBy(edges, (edge) => edge.from);
  const done = new Set<string>();
  const named = new Set<string>();
  const cycles: Cycle[] = [];
  for (const { id: start } of nodes) {
    if (done.has(start)) continue;
    const path: { id: string; next: number }[] = [{ id: start, next: 0 }];
    const onPath = new Map([[start, 0]]);
    for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
      const edge = outgoing.get(top.id)?.[top.next];
      top.next += 1;
      if (edge === undefined) {
        done.add(top.id);
        onPath.delete(top.id);
        path.pop();
        continue;
      }
      const at = onPath.get(edge.to);
      if (at !== undefined) {
        const cycle = path.slice(at).map(({ id }) => id);
        if (cycle.some((id) => named.has(id))) continue;
        for (const id of cycle) named.add(id);
        cycles.push({ path: cycle, closedBy: edge });
      } else if (!done.has(edge.to)) {
        onPath.set(edge.to, path.length);
        path.push({ id: edge.to, next: 0 });
      }
    }
  }
  return cycles;
}
