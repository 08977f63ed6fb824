import type { NodeRunStatus } from "../../../schema/contract/execution.ts";

/** Whether a node run has ended. A copy of the contract's rule, without loading its schemas. */
export function isOver(status: NodeRunStatus): boolean {
  return status !== "pending" && status !== "waiting" && status !== "running";
}
