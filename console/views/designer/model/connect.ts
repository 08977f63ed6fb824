import { NODE_OUTCOMES } from "../../../../schema/contract/workflow.ts";
import type { Definition, Edge, Graph, Node, Outcome } from "../../../../schema/contract/workflow.ts";
import { nodeTitle } from "../../../graph/describe-node.ts";
import { containerOf, findNode, graphIn } from "./graph-edit.ts";
import { designer } from "../../../strings/en/designer.ts";

const text = designer.connect.not;

/**
 * The outcomes of a node. Earlier versions saved failure edges of an errorHandler: such an edge is drawn until a person
 * removes it.
 */
export function outcomesOf(node: Node, edges: readonly Edge[] = []): readonly Outcome[] {
  const drawn = edges.flatMap(({ from, on }) => (from === node.id ? [on] : []));
  return [...new Set<Outcome>([...NODE_OUTCOMES[node.type], ...drawn])];
}

export function isSameEdge(a: Edge, b: Edge): boolean {
  return a.from === b.from && a.to === b.to && a.on === b.on;
}

/** A message about why an edge is not allowed; null when it is. The service's check of the graph has the same rules. */
export function whyNotConnect(definition: Definition, edge: Edge): string | null {
  const [from, to] = [findNode(definition, edge.from), findNode(definition, edge.to)];
  if (from === undefined || to === undefined) return text.gone;
  if (edge.from === edge.to) return text.itself;
  const container = containerOf(definition, edge.from);
  if (container !== containerOf(definition, edge.to)) {
    return text.border;
  }
  if (!outcomesOf(from).includes(edge.on)) {
    return from.type === "errorHandler"
      ? text.handlerOutcome
      : text.outcome(nodeTitle(from), outcomesOf(from), edge.on);
  }
  if (to.type === "errorHandler" && edge.on !== "failure") {
    return text.toHandler;
  }
  const graph = graphIn(definition, container ?? null);
  if (graph === null) return text.gone;
  if (graph.edges.some((other) => isSameEdge(other, edge))) return text.exists;
  return leadsTo(graph, edge.to, edge.from) ? text.cycle(nodeTitle(to), nodeTitle(from)) : null;
}

function leadsTo({ edges }: Graph, start: string, end: string): boolean {
  const reached = new Set([start]);
  for (const id of reached) {
    if (id === end) return true;
    for (const edge of edges) if (edge.from === id) reached.add(edge.to);
  }
  return false;
}

/** The two edges that replace one when a node is inserted; null where that is not allowed. */
export function edgesThrough(edge: Edge, node: Node, to: Node | undefined): [Edge, Edge] | null {
  if (to === undefined || (node.type === "errorHandler" && edge.on !== "failure")) return null;
  const on = to.type === "errorHandler" ? outcomesOf(node).find((one) => one === "failure") : outcomesOf(node)[0];
  if (on === undefined) return null;
  return [
    { from: edge.from, to: node.id, on: edge.on },
    { from: node.id, to: edge.to, on },
  ];
}
