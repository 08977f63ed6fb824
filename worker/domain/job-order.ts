import type { ActionName, Effect } from "../../schema/contract/action.ts";
import type { AgentFeature } from "../../schema/contract/agent.ts";
import type { Approved } from "../../schema/contract/approval.ts";
import type { ConnectionType } from "../../schema/contract/connection.ts";
import type { LostAssignment } from "../../schema/contract/execution.ts";
import type { JsonObject } from "../../schema/contract/json.ts";
import type { Failure } from "../../schema/contract/problem.ts";

/** Work for the dispatcher, as plain data: it is stored with the job, and sent again after a crash. */
export interface JobOrder {
  readonly jobId: string;
  readonly attempt: number;
  readonly kind: "action" | "connectionTest" | "credentialSync";
  readonly executionId: string | null;
  readonly workflowId: string | null;
  /** The person who published the ordering version, or who runs the test; absent from jobs of older services. */
  readonly onBehalfOf?: string | null;
  readonly nodeRunId: string | null;
  readonly action: ActionName | null;
  /** The type of the tested connection; absent from other jobs. */
  readonly testedType?: ConnectionType;
  readonly effect: Effect;
  /** Null for a notification, which needs no connection. */
  readonly connectionId: string | null;
  /** The host that it goes to, on a connection with targets; absent on others. */
  readonly target?: string;
  /** The target without sensitive values; absent when it has none. */
  readonly shownTarget?: string;
  readonly poolObject: string;
  /** How often the job was rerouted because its connection had moved; absent before the first time. */
  readonly reroutes?: number;
  /** The one agent that may run it, when its connection names an agent. */
  readonly pinnedAgentId: string | null;
  /** Features that the agent must have; absent when there are none. */
  readonly features?: AgentFeature[];
  readonly params: JsonObject;
  readonly values: Readonly<Record<string, string>>;
  readonly timeoutSeconds: number;
  readonly queueTimeoutSeconds: number | null;
  readonly onAgentLost: "fail" | "retry" | null;
  readonly queuedAt: number;
  /** How often the job was lost and assigned again, and how many of these times its agent reported an interruption. */
  readonly lost?: number;
  readonly interrupted?: number;
  /** When the job returned to the queue (epoch ms). */
  readonly lostAt?: number;
  /** Every agent that lost the job. */
  readonly assignments?: LostAssignment[];
  /** The approved targets of its connections, by id; absent without an approval. */
  readonly approvedTargets?: Approved["targets"];
  /** The W3C trace context of its span; absent without traces. */
  readonly traceparent?: string;
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
  /** The agents that lost the job, including the last one if it stayed lost; absent without any. */
  readonly assignments?: LostAssignment[];
  /** True for a lost agent and an unknown outcome: `retry` never repeats such an unsafe job (invariant 5). */
  readonly lost: boolean;
  /**
   * Set for a job that no agent got because its connection has moved. The execution orders it again in the same
   * attempt; an execution that has cancelled it meanwhile uses the rest of the report.
   */
  readonly reroute?: Reroute;
}

/** The changes in the next order of a job whose connection has moved. */
export type Reroute = Pick<
  JobOrder,
  "poolObject" | "pinnedAgentId" | "lost" | "interrupted" | "lostAt" | "assignments"
> & {
  readonly reroutes: number;
};

/** Epoch milliseconds; null for a stage that has not happened. */
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
