import type { ExecutionSummary } from "../../../schema/contract/execution.ts";

export interface Failures {
  /** The newest one. */
  newest: ExecutionSummary;
  count: number;
}

/** Failed executions, newest first, by workflow: one workflow that fails every minute must not hide the others. */
export function byWorkflow(failed: readonly ExecutionSummary[]): Failures[] {
  return [...Map.groupBy(failed, ({ workflowId }) => workflowId).values()].flatMap((executions) => {
    const [newest] = executions;
    return newest === undefined ? [] : [{ newest, count: executions.length }];
  });
}
