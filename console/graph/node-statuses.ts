import type { NodeRunStatus } from "../../schema/contract/execution.ts";

/** Every status of a node run, those that need attention first. */
export const nodeRunStatuses = [
  "failed",
  "timed_out",
  "waiting",
  "running",
  "pending",
  "succeeded",
  "skipped",
  "cancelled",
] as const satisfies readonly NodeRunStatus[];
