import type { Approved, RunSnapshot } from "../../schema/contract/approval.ts";
import type { ExecutionStatus, ExecutionTrigger, NodeRunStatus } from "../../schema/contract/execution.ts";
import type { JsonObject, JsonValue } from "../../schema/contract/json.ts";
import type { Failure } from "../../schema/contract/problem.ts";
import type { Outcome } from "../../schema/contract/workflow.ts";
import type { JobTimes } from "./job-order.ts";

/** An execution as data: what the engine works on and the store keeps. Times are epoch ms. */
export interface ExecutionState {
  readonly id: string;
  readonly workflowId: string;
  readonly versionId: string;
  readonly status: ExecutionStatus;
  /** Rises by one with every step that changed something. */
  readonly revision: number;
  readonly trigger: ExecutionTrigger;
  readonly depth: number;
  /** Its event's time, and that of its first step: what its time limit counts from. */
  readonly startedAt: number;
  readonly begunAt: number | null;
  readonly finishedAt: number | null;
  readonly error: Failure | null;
  /** What its last approval, or its parent's, was given to; null while there was none. */
  readonly approved: Approved | null;
  /** When the execution must be looked at again though nothing happens: the earliest of its node runs' `wakeAt`. */
  readonly wakeAt: number | null;
  readonly nodeRuns: readonly NodeRun[];
}

export interface NodeRun {
  readonly id: string;
  readonly nodeId: string;
  /** Iteration indexes from the outermost forEach inwards; empty outside any. */
  readonly path: readonly number[];
  readonly status: NodeRunStatus;
  /** The edge kind by which it left; null while it has not. */
  readonly outcome: Outcome | null;
  readonly attempt: number;
  readonly jobId: string | null;
  /** The sub-workflow's execution, for a node of type workflow. */
  readonly childExecutionId: string | null;
  /** The execution's revision that changed it last. */
  readonly revision: number;
  readonly output: JsonValue | null;
  readonly error: Failure | null;
  /** What was odd when its templates were filled in: see `Draft.warn`. Null when nothing was. */
  readonly warnings: readonly string[] | null;
  readonly wakeAt: number | null;
  readonly timeline: JobTimes;
}

/** A person's answer to a node run that waits for approval. */
export interface Decision {
  readonly nodeRunId: string;
  readonly decision: "approved" | "rejected";
  readonly by: string;
  readonly comment: string | null;
  /** What it is given to; what has changed since is not run. */
  readonly approved: RunSnapshot;
}

/** How a sub-workflow ended, as its `WorkflowRuns` reports to that of its parent. */
export interface ChildReport {
  readonly nodeRunId: string;
  readonly childExecutionId: string;
  readonly status: "succeeded" | "failed" | "cancelled";
  /** By end node: see `endOutputs`. */
  readonly outputs: JsonObject;
  readonly error: Failure | null;
  /** What its last approval, or its parent's before it, was given to. */
  readonly approved: Approved | null;
}
