import { useEffect, useRef } from "react";

/** Another page begins at its top; the browser's way back goes to where one was, which the browser does by itself. */
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
