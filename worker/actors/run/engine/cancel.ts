import type { Failure } from "../../../../schema/contract/problem.ts";
import { actorName } from "../../../domain/actor-name.ts";
import { EXECUTION_TIMED_OUT } from "../../../domain/failed-execution.ts";
import type { NodeRun } from "../../../domain/execution-state.ts";
import type { Draft, Scope } from "./draft.ts";

/** Ends an execution at a person's request. */
export function cancel(draft: Draft, by: string): void {
  endAll(draft, by, { code: "cancelled", message: `Cancelled by ${actorName(by)}.` });
  draft.status = "cancelled";
}

/** Ends an execution that has not begun. */
export function refuse(draft: Draft, status: "cancelled" | "failed", error: Failure): void {
  draft.addRuns(draft.root);
  endAll(draft, "", error);
  draft.status = status;
}

/** Ends an execution that has reached its time limit. */
export function expire(draft: Draft): void {
  const { timeoutSeconds } = draft.definition;
  const limit = timeoutSeconds === undefined ? "400 days" : `${timeoutSeconds} s`;
  const message = `The execution did not end within ${limit}. Find the step that took so long, or set timeoutSeconds in the definition.`;
  endAll(draft, "the execution's time limit", { code: EXECUTION_TIMED_OUT, message });
  draft.status = "failed";
}

/** Cancels the node runs that have begun, with their jobs and sub-workflows, and skips the others. */
function endAll(draft: Draft, by: string, error: Failure): void {
  for (const run of draft.runs) {
    const scope = draft.scopeOf(run);
    if (run.status === "pending") scope.update(run.nodeId, { status: "skipped" });
    if (run.status !== "running" && run.status !== "waiting") continue;
    takeBack(draft, scope, run, by);
    scope.update(run.nodeId, {
      status: "cancelled",
      wakeAt: null,
      error,
      timeline: { ...run.timeline, finishedAt: draft.now },
    });
  }
  draft.error = error;
}

function takeBack(draft: Draft, scope: Scope, run: NodeRun, by: string): void {
  if (run.status !== "running") return;
  if (run.jobId !== null) draft.effects.push({ type: "cancelJob", jobId: run.jobId });
  const { node } = scope.node(run.nodeId);
  if (node.type !== "workflow" || run.childExecutionId === null) return;
  draft.effects.push({ type: "cancelChild", executionId: run.childExecutionId, workflowId: node.workflowId, by });
}
