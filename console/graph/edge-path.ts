import type { Outcome } from "../../schema/contract/workflow.ts";
import { outcomeAt } from "./outcome-look.ts";

export interface Point {
  x: number;
  y: number;
}

interface Box extends Point {
  width: number;
  height: number;
}

/** A row of the layout: its nodes have the same upper edge. */
export interface Row {
  top: number;
  bottom: number;
}

export function rowsOf(nodes: readonly Box[]): Row[] {
  const bottoms = new Map<number, number>();
  for (const { y, height } of nodes) bottoms.set(y, Math.max(bottoms.get(y) ?? 0, y + height));
  return [...bottoms].map(([top, bottom]) => ({ top, bottom }));
}

/**
 * The path of an edge between two nodes. It goes straight down next to nodes, and crosses other edges only between
 * rows. `leaving` are the outcomes with edges at its source; `between` are the layout's points past the middle rows.
 */
export function edgePoints(
  { on, leaving, source, target }: { on: Outcome; leaving: readonly Outcome[]; source: Box; target: Box },
  between: readonly Point[],
  rows: readonly Row[],
): Point[] {
  const start = {
    x: source.x + (source.width * outcomeAt(leaving, on)) / 100,
    y: source.y + source.height,
  };
  const end = { x: target.x + target.width / 2, y: target.y };
  const points: Point[] = [start];
  // The edge turns only below the lowest node of its source's row.
  const own = rows.find(({ top }) => top === source.y);
  if (own !== undefined && own.bottom > start.y && end.y > own.bottom) points.push({ x: start.x, y: own.bottom });
  for (const { x, y } of between.slice(1, -1)) {
    const row = rows.find(({ top, bottom }) => top !== source.y && top !== target.y && y >= top - 1 && y <= bottom + 1);
    if (row !== undefined && row.bottom < end.y && row.top > start.y)
      points.push({ x, y: row.top }, { x, y: row.bottom });
  }
  points.push(end);
  return points.map(({ x, y }) => ({ x: Math.round(x), y: Math.round(y) }));
}

/** The points as an SVG path with round corners. It leaves and arrives straight down. */
export function svgPath(points: readonly Point[]): string {
  const [first, ...rest] = points;
  if (first === undefined) return "";
  let at = first;
  let path = `M ${first.x} ${first.y}`;
  for (const to of rest) {
    const bend = Math.max(12, (to.y - at.y) / 2);
    path +=
      to.x === at.x && to.y > at.y
        ? ` L ${to.x} ${to.y}`
        : ` C ${at.x} ${at.y + bend}, ${to.x} ${to.y - bend}, ${to.x} ${to.y}`;
    at = to;
  }
  return path;
}
