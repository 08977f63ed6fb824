import type { NodeRunStatus } from "../../../schema/contract/execution.ts";

/** Whether a node run has ended: the contract's own rule, without loading its schemas. */
export function isOver(status: NodeRunStatus): boolean {
  return status !== "pending" && status !== "waiting" && status !== "running";
}
