import type { Edge, Graph, Node } from "../../../schema/contract/workflow.ts";

/** A graph by node, made once for each definition, so that a step need not search all edges. */
export interface GraphIndex {
  readonly nodes: ReadonlyMap<string, IndexedNode>;
  /** The errorHandler without incoming edges, which any failure may enter; null without one. */
  readonly rootHandler: string | null;
  /** The root handler and all nodes after it: their failures do not enter it. */
  readonly behindHandler: ReadonlySet<string>;
}

export interface IndexedNode {
  readonly node: Node;
  readonly incoming: readonly Edge[];
  readonly outgoing: readonly Edge[];
}

const indexes = new WeakMap<Graph, GraphIndex>();

export function indexOf(graph: Graph): GraphIndex {
  const known = indexes.get(graph);
  if (known !== undefined) return known;
  const index = buildIndex(graph);
  indexes.set(graph, index);
  return index;
}

export function isRootHandler({ node, incoming }: IndexedNode): boolean {
  return node.type === "errorHandler" && incoming.length === 0;
}

function buildIndex(graph: Graph): GraphIndex {
  const nodes = new Map<string, { node: Node; incoming: Edge[]; outgoing: Edge[] }>();
  for (const node of graph.nodes) nodes.set(node.id, { node, incoming: [], outgoing: [] });
  for (const edge of graph.edges) {
    nodes.get(edge.from)?.outgoing.push(edge);
    nodes.get(edge.to)?.incoming.push(edge);
  }
  const rootHandler = [...nodes.values()].find(isRootHandler)?.node.id ?? null;
  return { nodes, rootHandler, behindHandler: rootHandler === null ? new Set() : reachableFrom(rootHandler, nodes) };
}

function reachableFrom(start: string, nodes: GraphIndex["nodes"]): Set<string> {
  const reached = new Set([start]);
  for (const id of reached) {
    for (const edge of nodes.get(id)?.outgoing ?? []) reached.add(edge.to);
  }
  return reached;
}
