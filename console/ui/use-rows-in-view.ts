import { useEffect, useRef, useState } from "react";

/** Enough for a window of 2,000 px with rows of 36 px, and for rows above and below. */
const SHOWN = 80;
/** The rows change once for so many that were scrolled by. */
const STEP = 10;

/**
 * The rows of a list that are near the window, and the height of those above and below. `rowPx`: the height of every
 * row with its gap; null shows all rows. `box` is the element that begins with the first row.
 */
export function useRowsInView<Row, Box extends HTMLElement = HTMLTableSectionElement & HTMLUListElement>(
  rows: readonly Row[],
  rowPx: number | null,
) {
  const box = useRef<Box>(null);
  const [first, setFirst] = useState(0);
  useEffect(() => {
    if (rowPx === null) return undefined;
    const look = () => {
      const scrolledBy = -(box.current?.getBoundingClientRect().top ?? 0);
      setFirst(Math.max(0, Math.floor(scrolledBy / rowPx / STEP) - 1) * STEP);
    };
    look();
    window.addEventListener("scroll", look, { passive: true });
    return () => window.removeEventListener("scroll", look);
  }, [rowPx]);
  if (rowPx === null) return { box, start: 0, shown: rows, above: 0, below: 0 };
  const start = Math.min(first, Math.max(0, rows.length - SHOWN));
  const shown = rows.slice(start, start + SHOWN);
  return { box, start, shown, above: start * rowPx, below: (rows.length - start - shown.length) * rowPx };
}
