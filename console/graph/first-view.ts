import { originOf } from "./layout.ts";
import type { GraphLayout } from "./layout.ts";

const EDGE_PX = 20;
/** Below this zoom text is unreadable: a part of the graph is shown first. */
const LEAST_ZOOM = 0.7;

/**
 * The first view of a graph in a box of this size: the whole graph as large as possible. Where that would be
 * unreadable, the part around the selected node, or the beginning of the graph.
 */
export function firstView(
  layout: GraphLayout,
  selected: string | null,
  box: { width: number; height: number },
): { x: number; y: number; zoom: number } {
  const whole = Math.min(
    (box.width - 2 * EDGE_PX) / Math.max(1, layout.width),
    (box.height - 2 * EDGE_PX) / Math.max(1, layout.height),
  );
  const zoom = Math.min(1, Math.max(LEAST_ZOOM, whole));
  const node = selected === null ? undefined : layout.byId.get(selected);
  const origin = originOf(node?.parentId ?? null, layout.byId);
  const middle =
    node === undefined
      ? { x: layout.width / 2, y: 0 }
      : { x: origin.x + node.x + node.width / 2, y: origin.y + node.y + node.height / 2 };
  return {
    x: along(layout.width * zoom, box.width, middle.x * zoom),
    y: along(layout.height * zoom, box.height, middle.y * zoom),
    zoom,
  };
}

/** The offset in one direction: centres a graph that fits; else centres `middle` without empty space at the edges. */
function along(size: number, room: number, middle: number): number {
  if (size + 2 * EDGE_PX <= room) return (room - size) / 2;
  return Math.min(EDGE_PX, Math.max(room - size - EDGE_PX, room / 2 - middle));
}
