import type { Point } from "./edge-path.ts";
import { originOf } from "./layout.ts";
import type { GraphLayout } from "./layout.ts";

interface Size {
  width: number;
  height: number;
}

/** Above and below a graph that fits. */
const EDGE_PX = 20;
/**
 * Beside a graph, with room for the buttons that zoom. Also above and below a graph of which a part is shown: while a
 * node is dragged near the border, the canvas pans, and the first nodes are not there yet.
 */
const SIDE_PX = 52;
/** Below this zoom text is unreadable: a part of the graph is shown first. */
const LEAST_ZOOM = 0.7;

/** The first view of a layout. One that is too large to be readable begins at the selected node, or at its top. */
export function firstView(layout: GraphLayout, selected: string | null, box: Size): View {
  const node = selected === null ? undefined : layout.byId.get(selected);
  const origin = originOf(node?.parentId ?? null, layout.byId);
  const middle =
    node === undefined
      ? { x: layout.width / 2, y: 0 }
      : { x: origin.x + node.x + node.width / 2, y: origin.y + node.y + node.height / 2 };
  return viewOf({ x: 0, y: 0, width: layout.width, height: layout.height }, middle, box);
}

export interface View extends Point {
  zoom: number;
}

/**
 * The whole graph as large as possible in a box of this size. Where that would be unreadable, the part around `middle`.
 */
export function viewOf(graph: Point & Size, middle: Point, box: Size): View {
  const whole = Math.min(
    (box.width - 2 * SIDE_PX) / Math.max(1, graph.width),
    (box.height - 2 * EDGE_PX) / Math.max(1, graph.height),
  );
  const zoom = Math.min(1, Math.max(LEAST_ZOOM, whole));
  return {
    x: along(graph.width * zoom, box.width, (middle.x - graph.x) * zoom, SIDE_PX) - graph.x * zoom,
    y: along(graph.height * zoom, box.height, (middle.y - graph.y) * zoom, EDGE_PX) - graph.y * zoom,
    zoom,
  };
}

/** A graph that is shown as small as this has its longer side in any box of 250 px. */
const WHOLE_PX = 200;
const MIN_ZOOM = 0.05;

/** The least zoom of a graph: the whole of it can be shown. */
export function minZoomOf({ width, height }: Size): number {
  return Math.min(MIN_ZOOM, WHOLE_PX / Math.max(width, height));
}

/** The offset in one direction: centres a graph that fits; else centres `middle` without empty space at the edges. */
function along(size: number, room: number, middle: number, edge: number): number {
  if (size + 2 * edge <= room) return (room - size) / 2;
  return Math.min(SIDE_PX, Math.max(room - size - SIDE_PX, room / 2 - middle));
}
