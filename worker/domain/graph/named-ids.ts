import type { Definition } from "../../../schema/contract/workflow.ts";
import { connectionsNamedBy, graphsOf } from "./walk.ts";

/** The ids in a definition: the connections of its actions, and the workflows that it starts. */
export interface NamedIds {
  readonly connections: readonly string[];
  /** The connections that are used with a target. */
  readonly withTarget: ReadonlySet<string>;
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
  const actions = nodes.filter((node) => node.type === "action");
  return {
    connections: [...new Set(actions.flatMap(connectionsNamedBy))],
    withTarget: new Set(actions.flatMap(({ target, connectionId = [] }) => (target === undefined ? [] : connectionId))),
    workflows: [...new Set(nodes.flatMap((node) => (node.type === "workflow" ? node.workflowId : [])))],
  };
}
