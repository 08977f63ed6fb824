import type { JsonValue } from "../../schema/contract/json.ts";
import type { ExecutionRow, NodeRunRow } from "../../schema/tables/index.ts";
import type { ExecutionState, NodeRun } from "../domain/execution-state.ts";

/** The fields of an execution's row besides its state. */
export interface ExecutionMeta {
  triggerKey: string;
  webhookKey: string | null;
  /** The node run that waits for the end of this sub-workflow. */
  parent: { executionId: string; workflowId: string; nodeRunId: string; rootId: string } | null;
  retryOf: string | null;
  /** The people who started it: see `StartOrder`. */
  startedBy: readonly string[];
}

/** The outermost execution: itself, unless it is a sub-workflow. */
export function rootIdOf(state: Pick<ExecutionState, "id">, { parent }: Pick<ExecutionMeta, "parent">): string {
  return parent?.rootId ?? state.id;
}

export function toMeta(row: ExecutionRow): ExecutionMeta {
  const { triggerKey, webhookKey, retryOf, startedBy, parentExecutionId, parentWorkflowId, parentNodeRunId } = row;
  const parent =
    parentExecutionId === null || parentWorkflowId === null || parentNodeRunId === null
      ? null
      : {
          executionId: parentExecutionId,
          workflowId: parentWorkflowId,
          nodeRunId: parentNodeRunId,
          // Rows of before the column: right for the first level.
          rootId: row.rootExecutionId ?? parentExecutionId,
        };
  return { triggerKey, webhookKey, parent, retryOf, startedBy };
}

export function toState(row: ExecutionRow, runs: NodeRun[]): ExecutionState {
  return {
    id: row.id,
    workflowId: row.workflowId,
    versionId: row.versionId,
    status: row.status,
    revision: row.revision,
    trigger: row.trigger,
    depth: row.depth,
    startedAt: row.startedAt,
    // Rows of before the column have begun.
    begunAt: row.begunAt ?? (row.hold === null ? row.startedAt : null),
    finishedAt: row.finishedAt,
    error: row.error,
    approved: row.approved,
    wakeAt: row.wakeAt,
    hold: row.hold,
    concurrencyKey: row.concurrencyKey,
    limits: row.limits,
    suppressed: row.suppressed,
    supersededBy: row.supersededBy,
    nodeRuns: runs,
  };
}

export function toNodeRun(row: NodeRunRow, output: JsonValue | null): NodeRun {
  const { queuedAt, assignedAt, deliveredAt, startedAt, finishedAt, reportedAt } = row;
  return {
    id: row.id,
    nodeId: row.nodeId,
    path: toPath(row.iterationPath),
    status: row.status,
    outcome: row.outcome,
    attempt: row.attempt,
    jobId: row.jobId,
    childExecutionId: row.childExecutionId,
    revision: row.revision,
    output,
    error: row.error,
    warnings: row.warnings,
    wakeAt: row.wakeAt,
    timeline: { queuedAt, assignedAt, deliveredAt, startedAt, finishedAt, reportedAt },
  };
}

export function toPath(iterationPath: string): number[] {
  return iterationPath === "" ? [] : iterationPath.split(".").map(Number);
}
