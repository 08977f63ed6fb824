import type { Definition } from "../../../schema/contract/workflow.ts";
import { connectionsNamedBy, graphsOf } from "./walk.ts";

/** The ids in a definition: the connections of its actions, and the workflows that it starts. */
export interface NamedIds {
  readonly connections: readonly string[];
  readonly workflows: readonly string[];
}

const known = new WeakMap<Definition, NamedIds>();

export function idsNamedIn(definition: Definition): NamedIds {
  const found = known.get(definition) ?? collect(definition);
  known.set(definition, found);
  return found;
}

function collect(definition: Definition): NamedIds {
  const nodes = graphsOf(definition).flatMap(({ graph }) => graph.nodes);
  return {
    connections: [...new Set(nodes.flatMap((node) => (node.type === "action" ? connectionsNamedBy(node) : [])))],
    workflows: [...new Set(nodes.flatMap((node) => (node.type === "workflow" ? node.workflowId : [])))],
  };
}
