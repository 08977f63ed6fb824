import type { ActionName, Effect } from "../../schema/contract/action.ts";
import type { ConnectionType } from "../../schema/contract/connection.ts";
import type { ExecutionStatus, ExecutionTrigger, NodeRunStatus } from "../../schema/contract/execution.ts";
import type { JsonObject, JsonValue } from "../../schema/contract/json.ts";
import type { Failure } from "../../schema/contract/problem.ts";
import type { Outcome } from "../../schema/contract/workflow.ts";

/** The engine's language: an execution as data, what can happen to it, and what must follow. Times are epoch ms. */
export interface ExecutionState {
  readonly id: string;
  readonly workflowId: string;
  readonly versionId: string;
  readonly status: ExecutionStatus;
  /** Rises by one with every step that changed something. */
  readonly revision: number;
  readonly trigger: ExecutionTrigger;
  readonly depth: number;
  readonly startedAt: number;
  readonly finishedAt: number | null;
  readonly error: Failure | null;
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
  readonly output: JsonValue | null;
  readonly error: Failure | null;
  readonly wakeAt: number | null;
  readonly timeline: JobTimes;
}

export interface JobTimes {
  readonly queuedAt: number | null;
  readonly assignedAt: number | null;
  readonly deliveredAt: number | null;
  readonly startedAt: number | null;
  readonly finishedAt: number | null;
  readonly reportedAt: number | null;
}

export type RunEvent =
  | { type: "started" }
  | { type: "jobFinished"; report: JobReport }
  | { type: "cancelled"; by: string }
  /** Time has passed: what is due at `now` happens. */
  | { type: "woken" };

/** How a job ended, as Pool tells it. */
export interface JobReport {
  readonly jobId: string;
  readonly attempt: number;
  readonly status: "succeeded" | "failed" | "timed_out" | "cancelled";
  readonly output: JsonObject | null;
  readonly error: Failure | null;
  readonly agentId: string | null;
  readonly times: JobTimes;
  /** True when the outcome is unknown because its agent was lost: a node's `retry` never re-runs an unsafe one (invariant 5). */
  readonly lost: boolean;
}

/** A piece of work for Pool. Plain data: it is stored with the job, and told again after a crash. */
export interface JobOrder {
  readonly jobId: string;
  readonly attempt: number;
  readonly kind: "action" | "connectionTest" | "credentialSync";
  readonly executionId: string | null;
  readonly workflowId: string | null;
  readonly nodeRunId: string | null;
  readonly action: ActionName | null;
  readonly effect: Effect;
  readonly connectionId: string;
  readonly poolObject: string;
  /** The one agent that may run it, when its connection names an agent. */
  readonly pinnedAgentId: string | null;
  readonly params: JsonObject;
  readonly values: Readonly<Record<string, string>>;
  readonly timeoutSeconds: number;
  readonly queueTimeoutSeconds: number | null;
  readonly onAgentLost: "fail" | "retry" | null;
  readonly queuedAt: number;
}

/** What must happen after the step's commit. Each may be told twice. */
export type RunEffect =
  | { type: "enqueueJob"; order: JobOrder }
  | { type: "cancelJob"; jobId: string }
  | { type: "executionEnded"; status: ExecutionStatus };

/** A connection as a step needs it: where its jobs go. Null where there is none of that id. */
export interface ConnectionRoute {
  readonly type: ConnectionType;
  readonly enabled: boolean;
  /** Null when it has neither agent nor pool. */
  readonly poolObject: string | null;
  readonly pinnedAgentId: string | null;
}

/** What a step may use beside its arguments: ids come in from outside. */
export interface StepDeps {
  newId(kind: "nodeRun" | "job"): string;
  route(connectionId: string): ConnectionRoute | null;
}
