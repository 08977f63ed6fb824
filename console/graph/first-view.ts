import { originOf } from "./layout.ts";
import type { GraphLayout } from "./layout.ts";

const EDGE_PX = 20;
/** Smaller than this, nobody can read it: then a part is shown first. */
const LEAST_ZOOM = 0.7;

/**
 * What of a graph is shown first in a box of this size: the whole, as large as it may be; where that would be too small
 * to read, the part around the node that is looked at, or its beginning.
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

/** Where it begins in one direction: in the middle if it fits, else with what matters in the middle, and nothing empty. */
function along(size: number, room: number, middle: number): number {
  if (size + 2 * EDGE_PX <= room) return (room - size) / 2;
  return Math.min(EDGE_PX, Math.max(room - size - EDGE_PX, room / 2 - middle));
}
