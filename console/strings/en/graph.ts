import type { NodeRunStatus } from "../../../schema/contract/execution.ts";
import type { NodeType } from "../../../schema/contract/workflow.ts";
import { count } from "../format.ts";

/** Steps and edges of a workflow, drawn as a graph. */
export const graph = {
  label: "The workflow as a graph",
  loading: "Loading the graph",
  select: "Press Enter to show this step.",
  edge: (from: string, outcome: string, to: string) => `${from}, ${outcome}, to ${to}`,
  taken: (edge: string) => `${edge}, taken`,
  problems: (problems: number) => count(problems, "problem"),

  types: {
    action: "Action",
    condition: "Condition",
    forEach: "For each",
    delay: "Delay",
    approval: "Approval",
    workflow: "Sub-workflow",
    errorHandler: "Error handler",
  } satisfies Record<NodeType, string>,

  /** What a step does, below its title. */
  forEach: (items: string) => `each item of ${items}`,
  forEachAtOnce: (items: string, concurrency: number) => `each item of ${items}, ${concurrency} at a time`,
  delay: (time: string) => `waits ${time}`,
  workflow: "runs another workflow",
  errorHandler: "runs after a failure",

  statuses: {
    pending: "pending",
    waiting: "waiting",
    running: "running",
    succeeded: "succeeded",
    failed: "failed",
    timed_out: "timed out",
    skipped: "skipped",
    cancelled: "cancelled",
  } satisfies Record<NodeRunStatus, string>,
};
