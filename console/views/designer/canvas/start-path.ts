import { GAP_DOWN } from "../../../graph/layout.ts";
import type { Box, Place } from "../model/boxes.ts";

/** Between a line and the nodes that it goes past. */
const BESIDE_PX = 18;
const RADIUS_PX = 10;

/**
 * The line from the trigger to a node that it starts, in right angles. Where other nodes are in its way, it goes down
 * through the nearest free column; without one, behind them.
 */
export function startPoints(trigger: Box, node: Box, others: readonly Box[]): Place[] {
  const from = { x: trigger.x + trigger.width / 2, y: trigger.y + trigger.height };
  const to = { x: node.x + node.width / 2, y: node.y };
  const below = from.y + GAP_DOWN / 2;
  const above = to.y - GAP_DOWN / 2;
  const straight = [from, { x: from.x, y: below }, { x: to.x, y: below }, to];
  if (to.y < below || isClear(straight, others)) return straight;
  const columns = others
    .flatMap(({ x, width }) => [x - BESIDE_PX, x + width + BESIDE_PX])
    .toSorted((a, b) => Math.abs(a - to.x) - Math.abs(b - to.x));
  const ways = columns.map((x) => [
    from,
    { x: from.x, y: below },
    { x, y: below },
    { x, y: above },
    { x: to.x, y: above },
    to,
  ]);
  return ways.find((way) => isClear(way, others)) ?? straight;
}

function isClear(points: readonly Place[], boxes: readonly Box[]): boolean {
  return points.slice(1).every((end, index) => {
    const start = points[index] ?? end;
    const [left, right] = [Math.min(start.x, end.x), Math.max(start.x, end.x)];
    const [top, bottom] = [Math.min(start.y, end.y), Math.max(start.y, end.y)];
    return boxes.every(
      ({ x, y, width, height }) => right <= x || left >= x + width || bottom <= y || top >= y + height,
    );
  });
}

/** A line with right angles as an SVG path with round corners. */
export function roundPath(points: readonly Place[]): string {
  const path = points.map((point, index) => {
    const [before, after] = [points[index - 1], points[index + 1]];
    if (before === undefined) return `M ${point.x} ${point.y}`;
    if (after === undefined) return `L ${point.x} ${point.y}`;
    const [start, end] = [towards(point, before), towards(point, after)];
    return `L ${start.x} ${start.y} Q ${point.x} ${point.y} ${end.x} ${end.y}`;
  });
  return path.join(" ");
}

/** The point at which a corner begins, on the way to the next one. */
function towards(corner: Place, next: Place): Place {
  const [x, y] = [next.x - corner.x, next.y - corner.y];
  const part = Math.min(1, RADIUS_PX / Math.max(1, (Math.abs(x) + Math.abs(y)) / 2)) / 2;
  return { x: corner.x + x * part, y: corner.y + y * part };
}
