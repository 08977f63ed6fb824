import type { Definition, Graph } from "../../../../schema/contract/workflow.ts";

/** Where each node of a definition lies; ids are unique over the whole of it. */
export interface DefinitionIndex {
  /** The forEach nodes around a node, outermost first. Throws when there is no such node. */
  chainOf(nodeId: string): readonly string[];
}

const indexes = new WeakMap<Definition, DefinitionIndex>();

export function definitionIndexOf(definition: Definition): DefinitionIndex {
  const known = indexes.get(definition);
  if (known !== undefined) return known;
  const chains = new Map<string, readonly string[]>();
  collect(definition, [], chains);
  const index: DefinitionIndex = {
    chainOf(nodeId) {
      const chain = chains.get(nodeId);
      if (chain === undefined) throw new Error(`node ${nodeId} is not in this definition`);
      return chain;
    },
  };
  indexes.set(definition, index);
  return index;
}

function collect(graph: Graph, chain: readonly string[], chains: Map<string, readonly string[]>): void {
  for (const node of graph.nodes) {
    chains.set(node.id, chain);
    if (node.type === "forEach") collect(node.body, [...chain, node.id], chains);
  }
}
