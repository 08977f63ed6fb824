import type { Approved } from "../../schema/contract/approval.ts";
import type { ExecutionStatus, ExecutionTrigger } from "../../schema/contract/execution.ts";
import type { Ack, HeartbeatRequest, JobResult, JobsResponse, LeaseRef } from "../../schema/contract/agent.ts";
import type { PoolView } from "../../schema/contract/management.ts";
import type {
  AgentCaller,
  AgentPresence,
  AgentSettings,
  HeartbeatAnswer,
  JobState,
  PollRequest,
  DispatcherRefusal,
  RegisterOrder,
  Registered,
} from "../actors/dispatcher/index.ts";
import type { ScheduleMove } from "../domain/cron/decide-runs.ts";
import type { AuditRow } from "../store/audit.ts";
import type { JobOrder, JobReport } from "../domain/job-order.ts";
import type { ChildReport, Decision } from "../domain/execution-state.ts";
import type { SequencedStep } from "../store/execution-events.ts";

/**
 * What the Durable Objects say to the rest, as plain data. Every call may be repeated: each is idempotent by the ids
 * it carries. Times are epoch milliseconds.
 */

// ---- WebhookGate: one per webhook key (docs/design/dispatch.md#gate)
// -------------------------------------------------------------------
/** What a gate must know of its workflow; pushed, with a rising epoch: an older one is ignored. */
export interface GateSettings {
  epoch: number;
  workflowId: string;
  /** Null when the workflow is not published. */
  versionId: string | null;
  active: boolean;
  /** bcrypt hash of the webhook secret. */
  secretHash: string;
  /** True when this key is no longer one: regenerated, or its workflow deleted. */
  revoked: boolean;
}

/** What can be wrong with a body before anything in it means something. */
export type BodyProblemCode = "payload_too_large" | "unsupported_media_type" | "invalid_request" | "request_timeout";

export interface GateRequest {
  webhookKey: string;
  /** SHA-256 of key and secret, base64url. What the gate remembers of a verified secret. */
  secretDigest: string;
  /** Set on the second call, when bcrypt has spoken: the hash it compared with, so that a hash replaced meanwhile is not taken. */
  verified?: { secretHash: string; matches: boolean };
  executionId: string;
  /**
   * What the request's body is; a problem is answered only after the checks that come before it
   * (docs/design/http-api.md#webhook-checks).
   */
  body:
    | { ok: true; dedupeKey: string; variables: string /* JSON */ }
    | {
        ok: false;
        problem: {
          code: BodyProblemCode;
          detail: string;
          errors?: { path: string; message: string }[];
        };
      };
}

export type GateAnswer =
  | { type: "accepted"; executionId: string; status: ExecutionStatus; startedAt: number; deduplicated: boolean }
  | { type: "unknownKey" }
  | { type: "verifySecret"; secretHash: string }
  | { type: "wrongSecret" }
  | { type: "inactive" }
  | { type: "rateLimited"; retryAfterSeconds: number }
  | { type: "badBody" };

export interface GateRpc {
  /** The whole of a webhook request in one call. */
  accept(request: GateRequest): Promise<GateAnswer>;
  /** Whether this key is one: for requests whose secret is known to be wrong. */
  knows(webhookKey: string): Promise<boolean>;
  configure(webhookKey: string, settings: GateSettings): Promise<void>;
  /** The final status of an execution that this gate accepted. */
  executionEnded(executionId: string, status: ExecutionStatus): Promise<void>;
}

// ---- WorkflowRuns: serialises every change of an execution ---------------------------------------------------------
export interface StartOrder {
  executionId: string;
  workflowId: string;
  versionId: string;
  trigger: ExecutionTrigger;
  /** One execution for each (workflowId, triggerKey). */
  triggerKey: string;
  webhookKey: string | null;
  startedAt: number;
  /** Set for a sub-workflow: who waits for its end, and how deep it lies. */
  parent?: { executionId: string; workflowId: string; nodeRunId: string; depth: number };
  /** The people who started it (`personOf`), or what it repeats or is a sub-workflow of. Absent where an event did. */
  startedBy?: readonly string[];
  /** Set for a sub-workflow behind an approval: what its parent's approval was given to. */
  approved?: Approved | null;
  /** Set for a retry: the finished execution, and whether what had succeeded is kept. */
  retry?: { of: string; from: "start" | "failed" };
  /** The audit entry of whoever starts it, for the same batch: nothing is started that the log does not show. */
  audit?: AuditRow;
  /** Set by the tick: the batch that begins the execution moves its schedule on, or fails whole when that has changed. */
  schedule?: ScheduleMove;
}

export interface WorkflowRunsRpc {
  /** Starts it, or says how it stands when it was started before. Throws when libSQL cannot be reached. */
  start(order: StartOrder): Promise<{ executionId: string; status: ExecutionStatus }>;
  /** Applies a job's end; resolves when it is committed, or was before. Throws when libSQL cannot be reached. */
  jobFinished(executionId: string, report: JobReport): Promise<void>;
  /** Null when there is none; otherwise the status after the cancel. */
  cancel(executionId: string, by: string, audit?: AuditRow): Promise<ExecutionStatus | null>;
  /** Answers a node run that waits for approval. `notWaiting`: it was answered before, expired, or is none. */
  decide(executionId: string, decision: Decision, audit: AuditRow): Promise<"decided" | "notWaiting" | null>;
  /** Applies a sub-workflow's end to the execution that waits for it. */
  childEnded(executionId: string, report: ChildReport): Promise<void>;
  /**
   * The execution's revision once it is above `after`, or the same one after some 20 s without a change: for those who
   * follow an execution. Null when there is none of that id.
   */
  nextRevision(executionId: string, after: number): Promise<number | null>;
  /** Looks at it again: what is due happens, and what a crash swallowed between commit and effect is told again. */
  wake(executionId: string): Promise<void>;
}

// ---- Dispatcher: presence, health, queue, leases --------------------------------------------------------------------
export interface DispatcherRpc {
  enqueue(orders: JobOrder[]): Promise<void>;
  /** Takes back what is queued (it ends as cancelled), and tells the agent of what is delivered. */
  cancel(jobIds: string[]): Promise<void>;
  /**
   * With `onlyIdle`, done only while the agent holds no jobs: it is to be moved, and leases stay in the dispatcher that gave
   * them. Gives how many jobs kept it from being done; 0 when it is done.
   */
  configureAgent(settings: AgentSettings, onlyIdle?: boolean): Promise<number>;

  register(caller: AgentCaller, order: RegisterOrder): Promise<Registered | DispatcherRefusal>;
  poll(caller: AgentCaller, request: PollRequest): Promise<JobsResponse | DispatcherRefusal>;
  results(
    caller: AgentCaller,
    results: JobResult[],
  ): Promise<{ acks: (LeaseRef & { ack: Ack })[] } | DispatcherRefusal>;
  heartbeat(caller: AgentCaller, request: HeartbeatRequest): Promise<HeartbeatAnswer | DispatcherRefusal>;
  offline(caller: AgentCaller): Promise<Record<string, never> | DispatcherRefusal>;
  /** An agent's wake socket: 101, or a `DispatcherRefusal` as JSON. */
  fetch(request: Request): Promise<Response>;

  /** A connection of this dispatcher was changed: has what waits, and who can use its credential, looked at at once. Answers before that is done. */
  review(connectionId: string): Promise<void>;
  /** Answers when the job is over here, or was never here, or after `ms`. */
  waitForEnd(jobId: string, ms: number): Promise<void>;
  presence(agentIds: string[], withJobs?: boolean): Promise<AgentPresence[]>;
  view(poolId: string): Promise<PoolView>;
  jobStates(jobIds: string[]): Promise<JobState[]>;
}

// ---- Notifier: the jobs that the service runs itself, one object per workflow ---------------------------------------
/** To those who order jobs it is a dispatcher, named `notifier:<workflowId>`. */
export type NotifierRpc = Pick<DispatcherRpc, "enqueue" | "cancel" | "jobStates">;

// ---- ExecutionFeed: the steps of all executions, for those who follow them ------------------------------------------
export type FeedPage =
  /** Each execution once, at its last step behind `after`, in the order of these; `seq` is how far that goes. */
  | { type: "steps"; seq: number; steps: SequencedStep[] }
  /** `after` lies further back than what is held; `seq` is the present one. */
  | { type: "behind"; seq: number }
  /** `after` is not of this sequence. */
  | { type: "resync"; seq: number };

export interface FeedRpc {
  /** Waits up to some 20 s for steps behind `after`; without it, answers at once with the present `seq`. */
  next(after: number | null): Promise<FeedPage>;
}
