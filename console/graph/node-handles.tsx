import { Handle, Position } from "@xyflow/react";
import type { NodeType, Outcome } from "../../schema/contract/workflow.ts";
import { ink } from "./ink.ts";
import { OUTCOMES, OUTCOME_COLORS, outcomeAt, outcomesInUse } from "./outcome-look.ts";
import classes from "./flow.module.css";

/** The handle at which edges arrive; those at which they leave are named by their outcome. */
export const ENTRY = "in";

interface NodeHandlesProps {
  type: NodeType;
  /** Edges can be drawn from and to it. */
  connectable?: boolean;
  /** The outcomes that some edge leaves by, where only these are drawn; all, unless said. */
  shown?: ReadonlySet<Outcome> | undefined;
  /** Outcomes by which it left. */
  taken?: readonly Outcome[] | undefined;
}

/** Where edges begin and end on a node, with the outcome's word at each beginning. */
export function NodeHandles({ type, connectable = false, shown, taken = [] }: NodeHandlesProps) {
  const outcomes: readonly Outcome[] = shown === undefined ? OUTCOMES[type] : outcomesInUse(type, shown);
  return (
    <>
      <Handle
        id={ENTRY}
        type="target"
        position={Position.Top}
        isConnectable={connectable}
        className={classes["handle"] ?? ""}
        data-connectable={connectable || undefined}
      />
      {outcomes.map((outcome) => (
        <Handle
          key={outcome}
          id={outcome}
          type="source"
          position={Position.Bottom}
          isConnectable={connectable}
          className={classes["handle"] ?? ""}
          data-connectable={connectable || undefined}
          style={{ left: `${outcomeAt(outcomes, outcome)}%` }}
        >
          <span
            className={classes["outcome"]}
            data-taken={taken.includes(outcome) || undefined}
            style={{ color: ink(OUTCOME_COLORS[outcome]) }}
          >
            {outcome}
          </span>
        </Handle>
      ))}
    </>
  );
}
