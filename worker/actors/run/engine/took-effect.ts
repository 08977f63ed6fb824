import type { ExecutionState } from "../../../domain/execution-state.ts";
import type { RunEvent } from "./types.ts";

/**
 * Whether a step did what its event asked for: an answer may find its approval expired, and a cancel its execution over
 * time; then something else happened.
 */
export function tookEffect(event: RunEvent, { status, nodeRuns }: ExecutionState): boolean {
  switch (event.type) {
    case "decided":
      return nodeRuns.some(
        (run) =>
          run.id === event.decision.nodeRunId && run.outcome === event.decision.decision && run.status !== "timed_out",
      );
    case "cancelled":
      return status === "cancelled";
    case "started":
    case "jobFinished":
    case "childEnded":
    case "woken":
      return true;
  }
}
