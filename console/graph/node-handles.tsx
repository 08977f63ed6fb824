import { Handle, Position } from "@xyflow/react";
import type { NodeType, Outcome } from "../../schema/contract/workflow.ts";
import { ink } from "./ink.ts";
import { OUTCOMES, OUTCOME_COLORS, outcomeAt, outcomesInUse } from "./outcome-look.ts";
import classes from "./flow.module.css";

/** The id of the handle at which edges arrive. Handles at which edges leave have their outcome as id. */
export const ENTRY = "in";

interface NodeHandlesProps {
  type: NodeType;
  /** Whether edges can be drawn from and to the node. */
  connectable?: boolean;
  /** Draws only these outcomes, which have edges. Default: all. */
  shown?: ReadonlySet<Outcome> | undefined;
  /** The outcomes of its runs. */
  taken?: readonly Outcome[] | undefined;
}

/** The handles at which edges begin and end on a node. Each beginning is labelled with its outcome. */
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
