import type { ActionName, Effect } from "../../schema/contract/action.ts";
import type { AgentFeature } from "../../schema/contract/agent.ts";
import type { Approved } from "../../schema/contract/approval.ts";
import type { ConnectionType } from "../../schema/contract/connection.ts";
import type { LostAssignment } from "../../schema/contract/execution.ts";
import type { JsonObject } from "../../schema/contract/json.ts";
import type { Failure } from "../../schema/contract/problem.ts";

/** A piece of work for the dispatcher. Plain data: it is stored with the job, and sent again after a crash. */
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

/** How a job ended, as the dispatcher reports it. */
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

/** Epoch milliseconds; null for what has not happened. */
export interface JobTimes {
  readonly queuedAt: number | null;
  readonly assignedAt: number | null;
  readonly deliveredAt: number | null;
  readonly startedAt: number | null;
  readonly finishedAt: number | null;
  readonly reportedAt: number | null;
}

export const NO_TIMES: JobTimes = {
  queuedAt: null,
  assignedAt: null,
  deliveredAt: null,
  startedAt: null,
  finishedAt: null,
  reportedAt: null,
};
