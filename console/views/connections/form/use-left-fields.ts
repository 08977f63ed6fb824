import { useRef, useState } from "react";

/**
 * Which fields were left once: their errors may show. Leaving one by a press of the mouse counts when the press is over,
 * since an error that appears moves what is below it, and the button that was meant would no longer be there.
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
    // The click itself comes right behind.
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
