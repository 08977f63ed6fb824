import { useEffect, useRef } from "react";

/** Scrolls to the top of a new page. After "back" and "forward" the browser restores the position, so this does not. */
export function useTopOfThePage(location: string): void {
  const isWayBack = useRef(false);
  useEffect(() => {
    const note = () => {
      isWayBack.current = true;
    };
    addEventListener("popstate", note);
    return () => removeEventListener("popstate", note);
  }, []);
  useEffect(() => {
    if (!isWayBack.current) scrollTo(0, 0);
    isWayBack.current = false;
  }, [location]);
}
