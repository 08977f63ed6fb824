import type { NodeRun } from "../../../domain/execution-state.ts";
import { NO_TIMES } from "../../../domain/job-order.ts";

/** The run of a node that has not begun. */
export function pendingRun(place: Pick<NodeRun, "id" | "nodeId" | "path" | "revision">): NodeRun {
  return {
    ...place,
    status: "pending",
    outcome: null,
    attempt: 1,
    jobId: null,
    childExecutionId: null,
    output: null,
    error: null,
    warnings: null,
    wakeAt: null,
    timeline: NO_TIMES,
  };
}
