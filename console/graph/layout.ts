import { Graph as DagreGraph, layout } from "@dagrejs/dagre";
import type { EdgeLabel, GraphLabel, NodeLabel } from "@dagrejs/dagre";
import type { Edge, Graph, Node } from "../../schema/contract/workflow.ts";
import { rowsOf, edgePoints } from "./edge-path.ts";
import type { Point } from "./edge-path.ts";
import { orderRows } from "./order-rows.ts";
import { outcomeAt, outcomesInUse } from "./outcome-look.ts";

/** A node's position in pixels: its upper left corner, relative to its container's or, without one, to the graph's. */
export interface PlacedNode {
  id: string;
  node: Node;
  x: number;
  y: number;
  width: number;
  height: number;
  /** The forEach around it. */
  parentId: string | null;
  /** The number of forEach nodes around it. */
  depth: number;
}

export interface PlacedEdge extends Edge {
  id: string;
  /** Its path from its source's lower side to its target's upper side, past all other nodes, relative to the graph. */
  points: readonly Point[];
}

export interface GraphLayout {
  /** Containers before their content, as React Flow requires. */
  nodes: PlacedNode[];
  /** Only edges whose two nodes exist: a draft may have others. */
  edges: PlacedEdge[];
  byId: ReadonlyMap<string, PlacedNode>;
  width: number;
  height: number;
}

export const NODE_WIDTH = 248;
export const NODE_HEIGHT = 72;
/** Of a forEach: the height of the header above its body, and the space beside the body. */
export const CONTAINER_HEADER = 84;
export const CONTAINER_PADDING = 20;
/** Below a body: room for the outcomes of its last nodes, above those of the forEach. */
export const BELOW_BODY = 44;
export const GAP_ACROSS = 36;
export const GAP_DOWN = 56;
/** From this number on the better ranking takes too long. */
const MANY_NODES = 150;

/**
 * Positions the nodes of a graph from top to bottom along its edges, with each forEach around its body. The same graph
 * always gets the same layout. A draft may have cycles, edges to missing nodes, and duplicate ids (the first counts).
 */
export function layoutGraph(graph: Graph): GraphLayout {
  const byId = new Map<string, PlacedNode>();
  const edges: PlacedEdge[] = [];
  const { width, height } = place(graph, null, 0, byId, edges);
  for (const edge of edges) {
    const { x, y } = originOf(byId.get(edge.from)?.parentId ?? null, byId);
    edge.points = edge.points.map((point) => ({ x: point.x + x, y: point.y + y }));
  }
  return { nodes: [...byId.values()], edges, byId, width, height };
}

/** The corner of a container relative to the graph's; without a container, the graph's own. */
export function originOf(containerId: string | null, byId: ReadonlyMap<string, PlacedNode>): Point {
  const container = containerId === null ? undefined : byId.get(containerId);
  if (container === undefined) return { x: 0, y: 0 };
  const { x, y } = originOf(container.parentId, byId);
  return { x: x + container.x, y: y + container.y };
}

/** The id of an edge, unique in a definition. */
export function edgeId({ from, on, to }: Edge): string {
  return `${from} ${on} ${to}`;
}

interface Size {
  width: number;
  height: number;
}

function place(
  graph: Graph,
  parentId: string | null,
  depth: number,
  byId: Map<string, PlacedNode>,
  edges: PlacedEdge[],
): Size {
  const own: PlacedNode[] = [];
  const bodies = new Map<string, Graph>();
  for (const node of graph.nodes) {
    if (byId.has(node.id)) continue;
    const placed = { id: node.id, node, x: 0, y: 0, width: NODE_WIDTH, height: NODE_HEIGHT, parentId, depth };
    byId.set(node.id, placed);
    own.push(placed);
    if (node.type !== "forEach") continue;
    bodies.set(node.id, node.body);
    const inside = place(node.body, node.id, depth + 1, byId, edges);
    placed.width = Math.max(NODE_WIDTH, inside.width) + 2 * CONTAINER_PADDING;
    placed.height = CONTAINER_HEADER + Math.max(NODE_HEIGHT, inside.height) + BELOW_BODY;
  }
  const ownEdges = edgesAmong(graph, own);
  const size = arrange(own, ownEdges);
  let left = 0;
  let top = 0;
  // Centres a body that is narrower than its container's minimum width.
  const container = parentId === null ? undefined : byId.get(parentId);
  if (container !== undefined) {
    left = CONTAINER_PADDING + Math.max(0, NODE_WIDTH - size.width) / 2;
    top = CONTAINER_HEADER;
  }
  for (const node of own) {
    node.x += left;
    node.y += top;
  }
  for (const edge of ownEdges) edge.points = edge.points.map(({ x, y }) => ({ x: x + left, y: y + top }));
  edges.push(...ownEdges);
  return size;
}

function edgesAmong(graph: Graph, nodes: readonly PlacedNode[]): PlacedEdge[] {
  const here = new Set(nodes.map(({ id }) => id));
  const known = new Map<string, PlacedEdge>();
  for (const edge of graph.edges) {
    if (here.has(edge.from) && here.has(edge.to)) known.set(edgeId(edge), { ...edge, id: edgeId(edge), points: [] });
  }
  return [...known.values()];
}

/** Positions the nodes of one graph, whose sizes are known, relative to its corner. */
function arrange(nodes: readonly PlacedNode[], edges: readonly PlacedEdge[]): Size {
  if (nodes.length === 0) return { width: 0, height: 0 };
  const drawn = new DagreGraph<GraphLabel, NodeLabel, EdgeLabel>({ multigraph: true });
  drawn.setGraph({
    rankdir: "TB",
    nodesep: GAP_ACROSS,
    ranksep: GAP_DOWN,
    ranker: nodes.length > MANY_NODES ? "tight-tree" : "network-simplex",
    rankalign: "top",
  });
  for (const { id, width, height } of nodes) drawn.setNode(keyOf(id), { width, height });
  for (const edge of edges) {
    if (edge.from !== edge.to) drawn.setEdge(keyOf(edge.from), keyOf(edge.to), {}, edge.on);
  }
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const leaving = new Map(
    [...Map.groupBy(edges, ({ from }) => from)].flatMap(([from, list]) => {
      const node = byId.get(from)?.node;
      return node === undefined ? [] : [[from, outcomesInUse(node.type, new Set(list.map(({ on }) => on)))]];
    }),
  );
  const outlets = new Map(
    edges.map(({ from, on }) => [`${keyOf(from)} ${on}`, outcomeAt(leaving.get(from) ?? [], on) / 100]),
  );
  layout(drawn, {
    customOrder: (rows, order) => {
      order(rows, { disableOptimalOrderHeuristic: nodes.length > MANY_NODES });
      orderRows(rows, (from, on) => outlets.get(`${from} ${on}`) ?? 0.5);
    },
  });
  let width = 0;
  let height = 0;
  for (const node of nodes) {
    const { x = 0, y = 0 } = drawn.node(keyOf(node.id));
    // Dagre gives the middle of a node.
    node.x = Math.round(x - node.width / 2);
    node.y = Math.round(y - node.height / 2);
    width = Math.max(width, node.x + node.width);
    height = Math.max(height, node.y + node.height);
  }
  const rows = rowsOf(nodes);
  for (const edge of edges) {
    const [source, target] = [byId.get(edge.from), byId.get(edge.to)];
    if (source === undefined || target === undefined) continue;
    const { points = [] } = edge.from === edge.to ? {} : drawn.edge(keyOf(edge.from), keyOf(edge.to), edge.on);
    edge.points = edgePoints({ on: edge.on, leaving: leaving.get(edge.from) ?? [], source, target }, points, rows);
    for (const { x } of edge.points) width = Math.max(width, x);
  }
  return { width, height };
}

/** Dagre keeps nodes in plain objects, which inherit `constructor` and `toString`. */
function keyOf(id: string): string {
  return `node ${id}`;
}
