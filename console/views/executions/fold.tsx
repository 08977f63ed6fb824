import { useState } from "react";
import type { ReactNode } from "react";
import classes from "./executions.module.css";

interface FoldProps {
  title: ReactNode;
  children: ReactNode;
  open?: boolean;
  /** Makes the content when the section is first opened. */
  lazy?: boolean;
}

/** A section that opens on a click. */
export function Fold({ title, children, open = false, lazy = false }: FoldProps) {
  const [opened, setOpened] = useState(open);
  return (
    <details className={classes["fold"]} open={open} onToggle={(event) => setOpened(event.currentTarget.open)}>
      <summary>{title}</summary>
      <div className={classes["folded"]}>{lazy && !opened ? null : children}</div>
    </details>
  );
}
