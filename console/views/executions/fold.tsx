import type { ReactNode } from "react";
import classes from "./executions.module.css";

/** A section that opens on a click. */
export function Fold({ title, children, open = false }: { title: ReactNode; children: ReactNode; open?: boolean }) {
  return (
    <details className={classes["fold"]} open={open}>
      <summary>{title}</summary>
      <div className={classes["folded"]}>{children}</div>
    </details>
  );
}
