import type { Definition, Graph, Layout } from "../../../../schema/contract/workflow.ts";
import { CONTAINER_HEADER, NODE_WIDTH, layoutGraph } from "../../../graph/layout.ts";
import type { PlacedNode } from "../../../graph/layout.ts";
import { ownOf } from "../../../graph/own-of.ts";

export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

const PADDING = 20;
const GAP = 36;
/** Room for the outcome labels of the last nodes of a body, above the labels of the forEach. */
const BELOW_BODY = 44;

/**
 * The box of every node. Nodes that were placed manually keep their positions. The others have those of the automatic
 * layout, moved along with their predecessors and clear of other nodes. A forEach is as large as its content.
 */
export function placeNodes(definition: Definition, automatic = automaticPlaces(definition)): Map<string, Box> {
  const boxes = new Map<string, Box>();
  placeGraph(definition, { automatic, layout: definition.layout ?? {}, boxes }, false);
  return boxes;
}

/** The automatic layout. It depends only on the structure of the graph, not on fields of nodes. */
export function automaticPlaces(graph: Graph): ReadonlyMap<string, PlacedNode> {
  return layoutGraph(graph).byId;
}

/** A key for the structure of a graph, on which the automatic layout depends. */
export function structureOf({ nodes, edges }: Graph): string {
  const inner = nodes.map((node) => (node.type === "forEach" ? `${node.id}(${structureOf(node.body)})` : node.id));
  return `${inner.join(",")};${edges.map(({ from, on, to }) => `${from} ${on} ${to}`).join(",")}`;
}

interface Known {
  automatic: ReadonlyMap<string, PlacedNode>;
  layout: Layout;
  boxes: Map<string, Box>;
}

function placeGraph(graph: Graph, known: Known, isBody: boolean): void {
  const { automatic, layout, boxes } = known;
  for (const node of graph.nodes) {
    const auto = automatic.get(node.id);
    if (auto === undefined) continue;
    const { x, y } = ownOf(layout, node.id) ?? auto;
    boxes.set(node.id, { x, y, width: auto.width, height: auto.height });
    if (node.type === "forEach") boxes.set(node.id, { x, y, ...sizeAround(node.body, known, auto) });
  }
  if (Object.keys(layout).length > 0) placeOthers(graph, known);
  if (isBody) keepInside(graph, known);
}

/** Places nodes without a manual position as in the automatic layout, relative to a predecessor and without overlap. */
function placeOthers(graph: Graph, { automatic, layout, boxes }: Known): void {
  const done = new Set(graph.nodes.flatMap(({ id }) => (ownOf(layout, id) === undefined ? [] : [id])));
  const byRank = graph.nodes.toSorted((a, b) => (automatic.get(a.id)?.y ?? 0) - (automatic.get(b.id)?.y ?? 0));
  for (const { id } of byRank) {
    const box = boxes.get(id);
    const auto = automatic.get(id);
    if (done.has(id) || box === undefined || auto === undefined) continue;
    const before = graph.edges.find(({ from, to }) => to === id && done.has(from));
    const [seen, wasAt] = [boxes.get(before?.from ?? ""), automatic.get(before?.from ?? "")];
    if (seen !== undefined && wasAt !== undefined) {
      box.x = auto.x + seen.x - wasAt.x;
      // The predecessor may have grown.
      box.y = auto.y + seen.y - wasAt.y + seen.height - wasAt.height;
    }
    const others = [...done].flatMap((other) => boxes.get(other) ?? []);
    for (let hit = others.find((other) => overlap(box, other)); hit !== undefined;) {
      box.x = hit.x + hit.width + GAP;
      hit = others.find((other) => overlap(box, other));
    }
    done.add(id);
  }
}

/** A body begins below the header of its forEach: a node above or left of that point moves all nodes of the body. */
function keepInside({ nodes }: Graph, { boxes }: Known): void {
  const own = nodes.flatMap(({ id }) => boxes.get(id) ?? []);
  const left = Math.min(PADDING, ...own.map(({ x }) => x));
  const top = Math.min(CONTAINER_HEADER, ...own.map(({ y }) => y));
  for (const box of own) {
    box.x += PADDING - left;
    box.y += CONTAINER_HEADER - top;
  }
}

function sizeAround(body: Graph, known: Known, least: PlacedNode): { width: number; height: number } {
  placeGraph(body, known, true);
  const inner = body.nodes.flatMap(({ id }) => known.boxes.get(id) ?? []);
  if (inner.length === 0) return { width: least.width, height: least.height };
  const right = Math.max(...inner.map(({ x, width }) => x + width));
  const bottom = Math.max(...inner.map(({ y, height }) => y + height));
  return { width: Math.max(right, NODE_WIDTH + PADDING) + PADDING, height: bottom + BELOW_BODY };
}

function overlap(a: Box, b: Box): boolean {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
}

/** The boxes relative to the corner of the canvas. */
export function absoluteBoxes(graph: Graph, boxes: ReadonlyMap<string, Box>, at = { x: 0, y: 0 }): Map<string, Box> {
  const found = new Map<string, Box>();
  for (const node of graph.nodes) {
    const box = boxes.get(node.id);
    if (box === undefined) continue;
    const here = { ...box, x: box.x + at.x, y: box.y + at.y };
    found.set(node.id, here);
    if (node.type !== "forEach") continue;
    for (const [id, inner] of absoluteBoxes(node.body, boxes, here)) found.set(id, inner);
  }
  return found;
}

/** The innermost forEach at a point of the canvas, except those in `without` and their content. */
export function forEachAt(
  graph: Graph,
  boxes: ReadonlyMap<string, Box>,
  point: { x: number; y: number },
  without: ReadonlySet<string> = new Set(),
): string | null {
  for (const node of graph.nodes) {
    const box = boxes.get(node.id);
    if (node.type !== "forEach" || box === undefined || without.has(node.id)) continue;
    const inside = { x: point.x - box.x, y: point.y - box.y };
    if (inside.x < 0 || inside.y < 0 || inside.x > box.width || inside.y > box.height) continue;
    return forEachAt(node.body, boxes, inside, without) ?? node.id;
  }
  return null;
}
