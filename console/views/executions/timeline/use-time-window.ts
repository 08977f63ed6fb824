import { useEffect, useEffectEvent, useRef, useState } from "react";
import type { KeyboardEvent, PointerEvent, RefObject } from "react";
import { panned, zoomed } from "./time-window.ts";
import type { TimeSpan } from "./time-window.ts";

const CLOSER = 0.5;
/** The share of the shown span that one key press moves by. */
const KEY_STEP = 0.2;
/** A pointer that moved less still clicks. */
const DRAG_PX = 4;

/** The shown part of a timeline, with zoom and pan by buttons, wheel, keys and pointer. `track` is as wide as the bars. */
export function useTimeWindow(
  whole: TimeSpan,
  box: RefObject<HTMLElement | null>,
  track: RefObject<HTMLElement | null>,
) {
  // Null shows the whole, also while it grows.
  const [chosen, setChosen] = useState<TimeSpan | null>(null);
  const shown = chosen ?? whole;
  const show = (next: TimeSpan) => setChosen(next.from <= whole.from && next.to >= whole.to ? null : next);
  const msPerPx = () => (shown.to - shown.from) / Math.max(1, track.current?.clientWidth ?? 1);
  const zoom = (factor: number, around = (shown.from + shown.to) / 2) => show(zoomed(shown, whole, factor, around));
  const pan = (byMs: number) => show(panned(shown, whole, byMs));

  const onWheel = useEffectEvent((event: WheelEvent) => {
    if (event.ctrlKey || event.metaKey) {
      event.preventDefault();
      const left = track.current?.getBoundingClientRect().left ?? 0;
      zoom(Math.exp(event.deltaY / 300), shown.from + (event.clientX - left) * msPerPx());
    } else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
      event.preventDefault();
      pan((event.deltaX === 0 ? event.deltaY : event.deltaX) * msPerPx());
    }
  });
  useEffect(() => {
    const element = box.current;
    // React listens passively, so that the page would zoom as well.
    const listener = (event: WheelEvent) => onWheel(event);
    element?.addEventListener("wheel", listener, { passive: false });
    return () => element?.removeEventListener("wheel", listener);
  }, [box]);

  const keys: Record<string, () => void> = {
    "+": () => zoom(CLOSER),
    "=": () => zoom(CLOSER),
    "-": () => zoom(1 / CLOSER),
    "0": () => setChosen(null),
    ArrowLeft: () => pan(-KEY_STEP * (shown.to - shown.from)),
    ArrowRight: () => pan(KEY_STEP * (shown.to - shown.from)),
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const act = event.ctrlKey || event.metaKey || event.altKey ? undefined : keys[event.key];
    if (act === undefined) return;
    event.preventDefault();
    act();
  };

  const drag = useRef<{ x: number; from: TimeSpan; moves: boolean } | null>(null);
  const pointer = {
    onPointerDown: ({ button, clientX }: PointerEvent) => {
      if (button === 0) drag.current = { x: clientX, from: shown, moves: false };
    },
    onPointerMove: (event: PointerEvent) => {
      const started = drag.current;
      if (started === null || (!started.moves && Math.abs(event.clientX - started.x) < DRAG_PX)) return;
      // With the pointer captured, its end is no click on the row below it.
      if (!started.moves) event.currentTarget.setPointerCapture(event.pointerId);
      started.moves = true;
      show(panned(started.from, whole, (started.x - event.clientX) * msPerPx()));
    },
    onPointerUp: () => {
      drag.current = null;
    },
    onPointerCancel: () => {
      drag.current = null;
    },
  };
  return {
    shown,
    isWhole: chosen === null,
    zoomIn: () => zoom(CLOSER),
    zoomOut: () => zoom(1 / CLOSER),
    showAll: () => setChosen(null),
    onKeyDown,
    pointer,
  };
}
