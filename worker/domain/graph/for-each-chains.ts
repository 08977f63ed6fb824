import type { Definition, Graph } from "../../../schema/contract/workflow.ts";

const chainsByDefinition = new WeakMap<Definition, ReadonlyMap<string, readonly string[]>>();

/** The forEach nodes around each node, outermost first, by node id: ids are unique in the whole definition. */
export function forEachChains(definition: Definition): ReadonlyMap<string, readonly string[]> {
  const known = chainsByDefinition.get(definition);
  if (known !== undefined) return known;
  const chains = new Map<string, readonly string[]>();
  collect(definition, [], chains);
  chainsByDefinition.set(definition, chains);
  return chains;
}

function collect(graph: Graph, chain: readonly string[], chains: Map<string, readonly string[]>): void {
  for (const node of graph.nodes) {
    chains.set(node.id, chain);
    if (node.type === "forEach") collect(node.body, [...chain, node.id], chains);
  }
}
