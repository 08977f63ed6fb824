import { useLayoutEffect, useRef, useState } from "react";
import type { Box } from "../model/boxes.ts";

const GLIDE_MS = 300;
/** A slow frame counts as this long, so that nodes are seen on their way. */
const MAX_FRAME_MS = 50;

/** Motion of the canvas takes this long; none for people who asked their system for less motion. */
export function motionMs(): number {
  return matchMedia("(prefers-reduced-motion: reduce)").matches ? 0 : GLIDE_MS;
}

/** The boxes as they are drawn: after `glides` has changed, nodes glide to their new places; otherwise they jump. */
export function useGlide(boxes: ReadonlyMap<string, Box>, glides: number): ReadonlyMap<string, Box> {
  const [between, setBetween] = useState<ReadonlyMap<string, Box> | null>(null);
  const last = useRef({ boxes, glides });
  useLayoutEffect(() => {
    const { boxes: start, glides: before } = last.current;
    last.current = { boxes, glides };
    const duration = motionMs();
    if (glides === before || duration === 0 || !isMoved(start, boxes)) return undefined;
    let elapsed = 0;
    let at = performance.now();
    let frame = 0;
    const step = (now: number) => {
      elapsed += Math.min(MAX_FRAME_MS, Math.max(0, now - at));
      at = now;
      const done = Math.min(1, elapsed / duration);
      setBetween(done === 1 ? null : partOfWay(start, boxes, 1 - (1 - done) ** 3));
      if (done < 1) frame = requestAnimationFrame(step);
    };
    step(at);
    return () => {
      cancelAnimationFrame(frame);
      setBetween(null);
    };
  }, [boxes, glides]);
  return between ?? boxes;
}

function isMoved(start: ReadonlyMap<string, Box>, end: ReadonlyMap<string, Box>): boolean {
  return [...end].some(([id, { x, y }]) => {
    const before = start.get(id);
    return before !== undefined && (before.x !== x || before.y !== y);
  });
}

function partOfWay(start: ReadonlyMap<string, Box>, end: ReadonlyMap<string, Box>, part: number): Map<string, Box> {
  const at = (from: number, to: number) => from + (to - from) * part;
  return new Map(
    [...end].map(([id, to]) => {
      const from = start.get(id) ?? to;
      const box = {
        x: at(from.x, to.x),
        y: at(from.y, to.y),
        width: at(from.width, to.width),
        height: at(from.height, to.height),
      };
      return [id, box];
    }),
  );
}
