import type { Box, Place } from "../model/boxes.ts";

/** Between a node that came into view and the border of the canvas, or what covers the canvas. */
const MARGIN_PX = 16;

interface Size {
  width: number;
  height: number;
}

/**
 * The least shift of the view that shows a box in the frame, beside what covers the frame. A visible box needs none. All
 * are in pixels of the screen, relative to the frame. Of a box larger than the frame the upper left part is enough.
 */
export function shiftToShow(whole: Box, frame: Size, covers: readonly Box[]): Place {
  const part = (size: number, room: number) => (size + 2 * MARGIN_PX <= room ? size : room / 2);
  const box = { ...whole, width: part(whole.width, frame.width), height: part(whole.height, frame.height) };
  const shift = { x: along(box.x, box.width, frame.width), y: along(box.y, box.height, frame.height) };
  const moved = () => ({ ...box, x: box.x + shift.x, y: box.y + shift.y });
  for (const cover of covers) {
    const at = moved();
    if (!overlap(at, cover)) continue;
    const ways = [
      { x: cover.x - MARGIN_PX - at.x - at.width, y: 0 },
      { x: cover.x + cover.width + MARGIN_PX - at.x, y: 0 },
      { x: 0, y: cover.y - MARGIN_PX - at.y - at.height },
      { x: 0, y: cover.y + cover.height + MARGIN_PX - at.y },
    ];
    const stays = ways.filter(({ x, y }) => isWithin({ ...at, x: at.x + x, y: at.y + y }, frame));
    const [least] = stays.toSorted((a, b) => Math.abs(a.x + a.y) - Math.abs(b.x + b.y));
    shift.x += least?.x ?? 0;
    shift.y += least?.y ?? 0;
  }
  return shift;
}

/** The smallest box around all. */
export function boundsOf(boxes: readonly Box[]): Box {
  const [x, y] = [Math.min(...boxes.map((box) => box.x)), Math.min(...boxes.map((box) => box.y))];
  return {
    x,
    y,
    width: Math.max(...boxes.map((box) => box.x + box.width)) - x,
    height: Math.max(...boxes.map((box) => box.y + box.height)) - y,
  };
}

function along(start: number, size: number, room: number): number {
  if (start >= 0 && start + size <= room) return 0;
  return start < 0 ? MARGIN_PX - start : room - MARGIN_PX - start - size;
}

function isWithin({ x, y, width, height }: Box, frame: Size): boolean {
  return x >= 0 && y >= 0 && x + width <= frame.width && y + height <= frame.height;
}

function overlap(a: Box, b: Box): boolean {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
}
