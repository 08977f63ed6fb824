import { effectOf } from "../../../../schema/contract/action.ts";
import type { Failure } from "../../../../schema/contract/problem.ts";
import type { NodeRun } from "../../../domain/execution-state.ts";
import type { Draft } from "./draft.ts";

/**
 * Ends an execution whose place a newer one takes. An unsafe action that an agent has is not stopped halfway: the
 * execution ends with it, and until then no further node begins.
 */
export function supersede(draft: Draft, by: string): void {
  if (draft.supersededBy !== null) return;
  draft.supersededBy = by;
  draft.changed = true;
  for (const run of draft.runs) {
    const scope = draft.scopeOf(run);
    if (run.status === "pending") scope.update(run.nodeId, { status: "skipped" });
    if (run.status === "waiting" || (run.status === "running" && !endsByItself(draft, run, by))) {
      const timeline = { ...run.timeline, finishedAt: draft.now };
      scope.update(run.nodeId, { status: "cancelled", wakeAt: null, error: supersededError(by), timeline });
    }
  }
}

export function supersededError(by: string): Failure {
  return { code: "superseded", message: `The newer run ${by} with the same key took its place.` };
}

/** Whether the end of a running node must be awaited. The parameters are judged before rendering, as for a retry. */
function endsByItself(draft: Draft, run: NodeRun, by: string): boolean {
  const { node } = draft.scopeOf(run).node(run.nodeId);
  if (node.type === "workflow" && run.childExecutionId !== null) {
    draft.effects.push({ type: "supersedeChild", executionId: run.childExecutionId, workflowId: node.workflowId, by });
    return true;
  }
  if (node.type !== "action" || run.jobId === null) return node.type === "forEach";
  const isUnsafe = effectOf(node.action, node.params) === "unsafe";
  draft.effects.push({ type: isUnsafe ? "withdrawJob" : "cancelJob", jobId: run.jobId });
  return isUnsafe;
}
