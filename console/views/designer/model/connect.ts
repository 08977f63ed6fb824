import { NODE_OUTCOMES } from "../../../../schema/contract/workflow.ts";
import type { Definition, Edge, Graph, Node, Outcome } from "../../../../schema/contract/workflow.ts";
import { nodeTitle } from "../../../graph/describe-node.ts";
import { containerOf, findNode, graphIn } from "./graph-edit.ts";

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
  if (from === undefined || to === undefined) return "One of the two steps no longer exists.";
  if (edge.from === edge.to) return "A step cannot lead to itself. To repeat an action, set its maximum attempts.";
  const container = containerOf(definition, edge.from);
  if (container !== containerOf(definition, edge.to)) {
    return "An edge cannot cross the border of a forEach. Connect the forEach itself, or move the step.";
  }
  if (!outcomesOf(from).includes(edge.on)) {
    return from.type === "errorHandler"
      ? "An errorHandler ends with success only: it does nothing that could fail."
      : `${nodeTitle(from)} ends with ${outcomesOf(from).join(" or ")}, not with ${edge.on}.`;
  }
  if (to.type === "errorHandler" && edge.on !== "failure") {
    return "Only failure edges lead to an errorHandler. Without any edge it handles every failure.";
  }
  const graph = graphIn(definition, container ?? null);
  if (graph === null) return "One of the two steps no longer exists.";
  if (graph.edges.some((other) => isSameEdge(other, edge))) return "This edge already exists.";
  return leadsTo(graph, edge.to, edge.from)
    ? `${nodeTitle(to)} already leads to ${nodeTitle(from)}. This edge would make a cycle, and a workflow runs each step once.`
    : null;
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
