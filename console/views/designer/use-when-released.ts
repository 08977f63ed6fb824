import { useCallback, useEffect, useRef } from "react";

/**
 * Returns a function that does work at once, or after the click while a pointer is pressed: a message that appeared
 * meanwhile would move the pressed button away, and the click would miss it.
 */
export function useWhenReleased(): (work: () => void) => void {
  const isPressed = useRef(false);
  const waiting = useRef<(() => void)[]>([]);
  useEffect(() => {
    const ended = new AbortController();
    const options = { capture: true, signal: ended.signal };
    const release = () => {
      isPressed.current = false;
      for (const work of waiting.current.splice(0)) work();
    };
    addEventListener("pointerdown", () => (isPressed.current = true), options);
    // A click follows in the same task; after a context menu nothing does.
    for (const type of ["pointerup", "pointercancel", "contextmenu"])
      addEventListener(type, () => setTimeout(release), options);
    return () => ended.abort();
  }, []);
  return useCallback((work) => {
    if (isPressed.current) waiting.current.push(work);
    else work();
  }, []);
}
