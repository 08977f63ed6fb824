import type {
  ExecutionStatus,
  ExecutionSummary,
  NodeRunStatus,
  NodeRunView,
} from "../../../schema/contract/execution.ts";

/** Whether a node run has ended. A copy of the contract's rule, without loading its schemas. */
export function isOver(status: NodeRunStatus): boolean {
  return status !== "pending" && status !== "waiting" && status !== "running";
}

/** The status of an execution as people see it: a running one whose step waits is waiting. */
export function shownStatus(
  { status }: Pick<ExecutionSummary, "status">,
  isWaiting: boolean | undefined,
): ExecutionStatus | "waiting" {
  return status === "running" && isWaiting === true ? "waiting" : status;
}

/** Whether a cancelled job is still to be reported: a cancel does not wait for the agent, which has the output. */
export function isReportDue({ status, jobId, timeline }: NodeRunView): boolean {
  return status === "cancelled" && jobId !== null && timeline.reportedAt === null;
}
