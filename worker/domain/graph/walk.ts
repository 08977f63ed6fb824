import { secretsFromOf } from "../../../schema/contract/action.ts";
import type { ActionNode, Definition, Graph } from "../../../schema/contract/workflow.ts";

/** One graph of a definition: the outer one, or the body of a forEach. */
export interface PlacedGraph {
  readonly graph: Graph;
  /** The prefix of a path in the graph: empty, or `nodes.2.body.`. */
  readonly at: string;
  /** The graph around it, and the forEach there that has it as its body; null for the outer graph. */
  readonly parent: { readonly placed: PlacedGraph; readonly forEachId: string } | null;
}

/** Every graph of a definition, outer ones first. */
export function graphsOf(definition: Definition): PlacedGraph[] {
  const found: PlacedGraph[] = [{ graph: definition, at: "", parent: null }];
  for (const placed of found) {
    for (const [index, node] of placed.graph.nodes.entries()) {
      if (node.type !== "forEach") continue;
      found.push({
        graph: node.body,
        at: `${placed.at}nodes.${index}.body.`,
        parent: { placed, forEachId: node.id },
      });
    }
  }
  return found;
}

/** The connection that an action runs on, and the one whose secrets its script gets. */
export function connectionsNamedBy({ action, connectionId, params }: ActionNode): string[] {
  const secretsFrom = secretsFromOf(action, params);
  return [...(connectionId === undefined ? [] : [connectionId]), ...(secretsFrom === null ? [] : [secretsFrom])];
}
