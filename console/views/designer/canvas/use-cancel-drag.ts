import { useEffect, useRef } from "react";

/** Escape cancels a drag: `goBack` puts the nodes back, and the rest of the movement must do nothing. */
export function useCancelDrag(isDragging: boolean, goBack: () => void) {
  const isCancelled = useRef(false);
  const latest = useRef(goBack);
  useEffect(() => {
    latest.current = goBack;
  });
  useEffect(() => {
    if (!isDragging) return undefined;
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key !== "Escape") return;
      // The selection stays.
      event.stopPropagation();
      isCancelled.current = true;
      latest.current();
    };
    addEventListener("keydown", onKeyDown, { capture: true });
    return () => removeEventListener("keydown", onKeyDown, { capture: true });
  }, [isDragging]);
  return {
    isCancelled: () => isCancelled.current,
    /** Whether the drag that ends now was cancelled. */
    over: () => {
      const was = isCancelled.current;
      isCancelled.current = false;
      return was;
    },
  };
}
