import type { Suppressed } from "../../schema/contract/maintenance.ts";
import type { Approved, RunSnapshot } from "../../schema/contract/approval.ts";
import type { ExecutionStatus, ExecutionTrigger, NodeRunStatus } from "../../schema/contract/execution.ts";
import type { JsonObject, JsonValue } from "../../schema/contract/json.ts";
import type { Hold } from "../../schema/contract/hold.ts";
import type { RunLimits } from "../../schema/contract/limit-group.ts";
import type { Failure } from "../../schema/contract/problem.ts";
import type { Outcome } from "../../schema/contract/workflow.ts";
import type { JobTimes } from "./job-order.ts";

/** An execution as data, for the engine and the store. Times are epoch ms. */
export interface ExecutionState {
  readonly id: string;
  readonly workflowId: string;
  readonly versionId: string;
  readonly status: ExecutionStatus;
  /** Rises by one with every step that changed something. */
  readonly revision: number;
  readonly trigger: ExecutionTrigger;
  readonly depth: number;
  /** The time of its event, and of its first step, from which its time limit counts: null while it is held. */
  readonly startedAt: number;
  readonly begunAt: number | null;
  readonly finishedAt: number | null;
  readonly error: Failure | null;
  /** The approved snapshot of its last approval, or of its parent's; null without one. */
  readonly approved: Approved | null;
  /** When the execution must be checked again without an event: the earliest `wakeAt` of its node runs. */
  readonly wakeAt: number | null;
  /** Why it has not begun yet; null once it has. */
  readonly hold: Hold | null;
  /** See `executions.concurrencyKey`. */
  readonly concurrencyKey: string | null;
  /** The limits that hold for its unsafe actions; null without any. */
  readonly limits: RunLimits | null;
  /** See `executions.suppressed`. */
  readonly suppressed: Suppressed | null;
  /** The newer execution that takes its place: no further node begins. */
  readonly supersededBy: string | null;
  readonly nodeRuns: readonly NodeRun[];
}

export interface NodeRun {
  readonly id: string;
  readonly nodeId: string;
  /** Iteration indexes from the outermost forEach inwards; empty outside any. */
  readonly path: readonly number[];
  readonly status: NodeRunStatus;
  /** The kind of edge by which the run left the node; null before that. */
  readonly outcome: Outcome | null;
  readonly attempt: number;
  readonly jobId: string | null;
  /** The sub-workflow's execution, for a node of type workflow. */
  readonly childExecutionId: string | null;
  /** The execution's revision that changed it last. */
  readonly revision: number;
  readonly output: JsonValue | null;
  readonly error: Failure | null;
  /** Warnings from filling in its templates: see `Draft.warn`. Null without warnings. */
  readonly warnings: readonly string[] | null;
  readonly wakeAt: number | null;
  readonly timeline: JobTimes;
}

/** The triggers of executions that no person and no other execution waits for. */
export const EVENT_TRIGGERS = ["webhook", "incident", "cron", "failure"] as const satisfies ExecutionTrigger["type"][];

/** A person's answer to a node run that waits for approval. */
export interface Decision {
  readonly nodeRunId: string;
  readonly decision: "approved" | "rejected";
  readonly by: string;
  readonly comment: string | null;
  /** The snapshot that the answer covers; anything that has changed since is not run. */
  readonly approved: RunSnapshot;
}

/** How a sub-workflow ended, as its `WorkflowRuns` reports it to its parent's. */
export interface ChildReport {
  readonly nodeRunId: string;
  readonly childExecutionId: string;
  readonly status: "succeeded" | "failed" | "cancelled";
  /** By end node: see `endOutputs`. */
  readonly outputs: JsonObject;
  readonly error: Failure | null;
  /** The approved snapshot of its last approval, or of its parent's before it. */
  readonly approved: Approved | null;
}
