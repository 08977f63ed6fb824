import { useRef, useState } from "react";

/**
 * The fields that were left once, whose errors may show. A mouse press that leaves a field counts when it is released:
 * an error that appears earlier would move the button away from the pointer.
 */
export function useLeftFields() {
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  const pressed = useRef<string[] | null>(null);
  const mark = (paths: readonly string[]) => {
    if (paths.length > 0) setLeft((before) => new Set([...before, ...paths]));
  };
  const release = () => {
    const paths = pressed.current ?? [];
    pressed.current = null;
    window.removeEventListener("pointerup", release);
    window.removeEventListener("pointercancel", release);
    // The click event follows immediately.
    setTimeout(() => mark(paths));
  };
  return {
    has: (path: string) => left.has(path),
    leave: (path: string) => (pressed.current === null ? mark([path]) : void pressed.current.push(path)),
    /** For `onPointerDownCapture` of the form. */
    press() {
      if (pressed.current !== null) return;
      pressed.current = [];
      window.addEventListener("pointerup", release);
      window.addEventListener("pointercancel", release);
    },
  };
}
