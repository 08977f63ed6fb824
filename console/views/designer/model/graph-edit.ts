import type { Definition, Graph, Node } from "../../../../schema/contract/workflow.ts";
import { nodeTitle } from "../../../graph/describe-node.ts";

/** The container of a graph: the id of the forEach whose body it is; null for the definition's own graph. */
export type ContainerId = string | null;

/** The definition with each of its graphs changed, inner graphs first. */
export function changeGraphs(
  definition: Definition,
  change: (graph: Graph, container: ContainerId) => Graph,
): Definition {
  return { ...definition, ...changed(definition, null, change) };
}

function changed(graph: Graph, container: ContainerId, change: (graph: Graph, container: ContainerId) => Graph): Graph {
  const nodes = graph.nodes.map((node) =>
    node.type === "forEach" ? { ...node, body: changed(node.body, node.id, change) } : node,
  );
  return change({ nodes, edges: graph.edges }, container);
}

/** A graph of a definition; null when there is no forEach with that id. */
export function graphIn(definition: Graph, container: ContainerId): Graph | null {
  if (container === null) return definition;
  const node = findNode(definition, container);
  return node?.type === "forEach" ? node.body : null;
}

/** All nodes, including those inside forEach nodes, outer nodes first. */
export function nodesOf(graph: Graph): Node[] {
  return graph.nodes.flatMap((node) => (node.type === "forEach" ? [node, ...nodesOf(node.body)] : [node]));
}

export function findNode(graph: Graph, id: string): Node | undefined {
  return nodesOf(graph).find((node) => node.id === id);
}

/** The title of a node; the id when there is no such node. */
export function titleIn(graph: Graph, id: string): string {
  const node = findNode(graph, id);
  return node === undefined ? id : nodeTitle(node);
}

/** The forEach around a node, or null; undefined when there is no such node. */
export function containerOf(graph: Graph, id: string, here: ContainerId = null): ContainerId | undefined {
  for (const node of graph.nodes) {
    if (node.id === id) return here;
    if (node.type !== "forEach") continue;
    const found = containerOf(node.body, id, node.id);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Whether a node is the forEach, or is inside it at any depth. */
export function isWithin(graph: Graph, id: string, forEachId: string): boolean {
  const node = findNode(graph, forEachId);
  return id === forEachId || (node?.type === "forEach" && nodesOf(node.body).some((inner) => inner.id === id));
}
