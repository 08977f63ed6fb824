import { useRef } from "react";
import type { KeyboardEvent, PointerEvent } from "react";
import type { ShownPanel } from "./widths.ts";
import classes from "./panels.module.css";

const STEP_PX = 16;
const LARGE_STEP_PX = 64;

interface DividerProps {
  label: string;
  /** The id of the panel that it resizes. */
  controls: string;
  panel: ShownPanel;
  /** The side of the panel on which the divider is. */
  edge: "left" | "right";
  /** Undefined: the usual width. `done`: the width is chosen, not only shown. */
  onResize: (width: number | undefined, done: boolean) => void;
  onFold: () => void;
}

/** Resizes a panel by pointer or arrow keys. A double click restores the usual width, Enter folds the panel. */
export function Divider({ label, controls, panel, edge, onResize, onFold }: DividerProps) {
  const start = useRef<{ x: number; width: number } | null>(null);
  const { width, min, max } = panel;
  const grows = edge === "right" ? 1 : -1;
  const within = (wanted: number) => Math.min(max, Math.max(min, wanted));
  const onKeyDown = (event: KeyboardEvent) => {
    const step = event.shiftKey ? LARGE_STEP_PX : STEP_PX;
    const keys: Readonly<Record<string, () => void>> = {
      ArrowLeft: () => onResize(within(width - grows * step), true),
      ArrowRight: () => onResize(within(width + grows * step), true),
      Home: () => onResize(min, true),
      End: () => onResize(max, true),
      Enter: onFold,
    };
    const act = Object.hasOwn(keys, event.key) ? keys[event.key] : undefined;
    if (act === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    act();
  };
  const widthAt = ({ clientX }: PointerEvent, from: { x: number; width: number }) =>
    within(from.width + grows * (clientX - from.x));
  const end = (event: PointerEvent) => {
    const from = start.current;
    start.current = null;
    if (from !== null && event.clientX !== from.x) onResize(widthAt(event, from), true);
  };
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- a separator with a value is a control
    <div
      className={classes["divider"]}
      data-edge={edge}
      role="separator"
      tabIndex={0}
      aria-label={label}
      aria-controls={controls}
      aria-orientation="vertical"
      aria-valuenow={width}
      aria-valuemin={min}
      aria-valuemax={max}
      onKeyDown={onKeyDown}
      onDoubleClick={() => onResize(undefined, true)}
      onPointerDown={(event) => {
        if (event.button !== 0) return;
        event.currentTarget.setPointerCapture(event.pointerId);
        start.current = { x: event.clientX, width };
      }}
      onPointerMove={(event) => {
        if (start.current !== null) onResize(widthAt(event, start.current), false);
      }}
      onPointerUp={end}
      onPointerCancel={end}
    />
  );
}
