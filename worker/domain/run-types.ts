import type { ActionName, Effect } from "../../schema/contract/action.ts";
import type { AgentFeature } from "../../schema/contract/agent.ts";
import type { Approved, RunSnapshot } from "../../schema/contract/approval.ts";
import type { ConnectionType } from "../../schema/contract/connection.ts";
import type {
  ExecutionStatus,
  ExecutionTrigger,
  LostAssignment,
  NodeRunStatus,
} from "../../schema/contract/execution.ts";
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
  /** Somebody answered a node run that waits for approval. */
  | { type: "decided"; decision: Decision }
  /** A sub-workflow has ended. */
  | { type: "childEnded"; report: ChildReport }
  | { type: "cancelled"; by: string }
  /** Time has passed: what is due at `now` happens. */
  | { type: "woken" };

/** Somebody's answer to a node run that waits for approval. */
export interface Decision {
  readonly nodeRunId: string;
  readonly decision: "approved" | "rejected";
  readonly by: string;
  readonly comment: string | null;
  /** What it is given to; what has changed since is not run. */
  readonly approved: RunSnapshot;
}

/** How a sub-workflow ended, as its Run tells its parent's. */
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

/** How a job ended, as Pool tells it. */
export interface JobReport {
  readonly jobId: string;
  readonly attempt: number;
  readonly status: "succeeded" | "failed" | "timed_out" | "cancelled";
  readonly output: JsonObject | null;
  readonly error: Failure | null;
  readonly agentId: string | null;
  readonly times: JobTimes;
  /** The agents that had it and lost it, the last one as well where it was lost in the end; absent where none did. */
  readonly assignments?: LostAssignment[];
  /** True when the outcome is unknown because its agent was lost: a node's `retry` never re-runs an unsafe one (invariant 5). */
  readonly lost: boolean;
  /**
   * Set for a job that no agent got because its connection has moved. Its execution orders it again in the same attempt;
   * the rest of the report is for an execution that has cancelled it meanwhile.
   */
  readonly reroute?: Reroute;
}

/** What is different in the next order of a job whose connection has moved. */
export type Reroute = Pick<
  JobOrder,
  "poolObject" | "pinnedAgentId" | "lost" | "interrupted" | "lostAt" | "assignments"
> & {
  readonly reroutes: number;
};

/** A piece of work for Pool. Plain data: it is stored with the job, and told again after a crash. */
export interface JobOrder {
  readonly jobId: string;
  readonly attempt: number;
  readonly kind: "action" | "connectionTest" | "credentialSync";
  readonly executionId: string | null;
  readonly workflowId: string | null;
  /** Who published the version that ordered it, or who runs the test; absent from jobs of older services. */
  readonly onBehalfOf?: string | null;
  readonly nodeRunId: string | null;
  readonly action: ActionName | null;
  /** The type of the connection that a test is for; absent from other jobs. */
  readonly testedType?: ConnectionType;
  readonly effect: Effect;
  /** Null for a notification, which needs no connection. */
  readonly connectionId: string | null;
  readonly poolObject: string;
  /** How often it was ordered again elsewhere because its connection had moved; absent before the first time. */
  readonly reroutes?: number;
  /** The one agent that may run it, when its connection names an agent. */
  readonly pinnedAgentId: string | null;
  /** What the agent must be able to do; absent where that is nothing. */
  readonly features?: AgentFeature[];
  readonly params: JsonObject;
  readonly values: Readonly<Record<string, string>>;
  readonly timeoutSeconds: number;
  readonly queueTimeoutSeconds: number | null;
  readonly onAgentLost: "fail" | "retry" | null;
  readonly queuedAt: number;
  /** How often it was lost and given out again, and how often of these its agent reported that it was interrupted. */
  readonly lost?: number;
  readonly interrupted?: number;
  /** When it came back into the queue (epoch ms). */
  readonly lostAt?: number;
  /** Every agent that lost it. */
  readonly assignments?: LostAssignment[];
  /** Where its connections led when the execution was approved, by id; absent without an approval. */
  readonly approvedTargets?: Approved["targets"];
}

/** A job that an agent runs: it always has a connection. */
export type AgentJobOrder = JobOrder & { readonly connectionId: string };

/** What must happen after the step's commit. Each may be told twice. */
export type RunEffect =
  | { type: "enqueueJob"; order: JobOrder }
  /** Ordered again under its id, as its record says after the commit (`Reroute`). */
  | { type: "reorderJob"; jobId: string }
  | { type: "cancelJob"; jobId: string }
  | { type: "startChild"; order: ChildOrder }
  | { type: "cancelChild"; executionId: string; workflowId: string; by: string }
  | { type: "executionEnded"; status: ExecutionStatus };

/** A sub-workflow to start; the version was fixed when its node began. */
export interface ChildOrder {
  readonly executionId: string;
  readonly workflowId: string;
  readonly versionId: string;
  readonly variables: JsonObject;
  readonly nodeRunId: string;
  readonly startedAt: number;
}

/** A workflow as a node of type workflow needs it. */
export interface ChildTarget {
  readonly versionId: string;
  /** The variables with its inputs' defaults filled in, or what is wrong with them, in words. */
  resolve(variables: JsonObject): { ok: true; variables: JsonObject } | { ok: false; problem: string };
}

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
  newId(kind: "nodeRun" | "job" | "execution"): string;
  /** Who published the version; null when that is not known, or was no person. */
  readonly publishedBy: string | null;
  route(connectionId: string): ConnectionRoute | null;
  /** The published version of a workflow; null when there is none. */
  child(workflowId: string): ChildTarget | null;
}
