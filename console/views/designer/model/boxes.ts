import type { Graph } from "../../../../schema/contract/workflow.ts";
import { BELOW_BODY, CONTAINER_HEADER, CONTAINER_PADDING, NODE_HEIGHT, NODE_WIDTH } from "../../../graph/layout.ts";
import { TRIGGER_ID } from "./trigger.ts";

export interface Place {
  x: number;
  y: number;
}

export interface Box extends Place {
  width: number;
  height: number;
}

/** A body begins at this corner of its forEach. */
export const BODY_CORNER: Place = { x: CONTAINER_PADDING, y: CONTAINER_HEADER };
/** Room to drop the first node. */
const EMPTY_BODY: Box = { ...BODY_CORNER, width: NODE_WIDTH, height: NODE_HEIGHT };

/** The boxes of the trigger and of the nodes that have a place. A forEach is as large as its content. */
export function boxesOf(graph: Graph, places: ReadonlyMap<string, Place>): Map<string, Box> {
  const boxes = new Map<string, Box>();
  collect(graph, places, boxes);
  const trigger = places.get(TRIGGER_ID);
  return trigger === undefined
    ? boxes
    : boxes.set(TRIGGER_ID, { x: trigger.x, y: trigger.y, width: NODE_WIDTH, height: NODE_HEIGHT });
}

function collect(graph: Graph, places: ReadonlyMap<string, Place>, boxes: Map<string, Box>): void {
  for (const node of graph.nodes) {
    if (boxes.has(node.id)) continue;
    let size = { width: NODE_WIDTH, height: NODE_HEIGHT };
    if (node.type === "forEach") {
      collect(node.body, places, boxes);
      size = sizeAround(keptInside(node.body, boxes));
    }
    const place = places.get(node.id);
    if (place !== undefined) boxes.set(node.id, { x: place.x, y: place.y, ...size });
  }
}

/** Stored positions may be above or left of their body: then all nodes of the body move by the same distance. */
function keptInside({ nodes }: Graph, boxes: Map<string, Box>): Box[] {
  const own = nodes.flatMap(({ id }) => boxes.get(id) ?? []);
  const left = Math.min(BODY_CORNER.x, ...own.map(({ x }) => x));
  const top = Math.min(BODY_CORNER.y, ...own.map(({ y }) => y));
  for (const box of own) {
    box.x += BODY_CORNER.x - left;
    box.y += BODY_CORNER.y - top;
  }
  return own;
}

function sizeAround(inner: readonly Box[]): { width: number; height: number } {
  const right = Math.max(EMPTY_BODY.x + EMPTY_BODY.width, ...inner.map(({ x, width }) => x + width));
  const bottom = Math.max(EMPTY_BODY.y + EMPTY_BODY.height, ...inner.map(({ y, height }) => y + height));
  return { width: right + CONTAINER_PADDING, height: bottom + BELOW_BODY };
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
  point: Place,
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
