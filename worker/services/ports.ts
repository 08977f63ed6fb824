import type { LimitUse } from "../../schema/contract/limit-group.ts";
import type { Approved } from "../../schema/contract/approval.ts";
import type { ExecutionStatus, ExecutionTrigger } from "../../schema/contract/execution.ts";
import type { Ack, HeartbeatRequest, JobResult, JobsResponse, LeaseRef } from "../../schema/contract/agent.ts";
import type { PayloadNames } from "../../schema/contract/webhook-trigger.ts";
import type { DeliveryRefusal, WebhookDelivery } from "../../schema/contract/webhook-delivery.ts";
import type { WebhookVerification } from "../../schema/contract/webhook-verification.ts";
import type { CollectedEvents, Notice, RuleEvent } from "../../schema/contract/notification-rule.ts";
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
import type { StoredOldSecrets } from "../domain/old-secrets.ts";
import type { ScheduleMove } from "../domain/cron/decide-runs.ts";
import type { ControlState, Pause } from "../domain/control.ts";
import type { AuditRow } from "../store/audit.ts";
import type { RunKey } from "../store/open-runs.ts";
import type { JobOrder, JobReport } from "../domain/job-order.ts";
import type { ChildReport, Decision } from "../domain/execution-state.ts";
import type { SequencedStep } from "../store/execution-events.ts";

/**
 * The calls of the Durable Objects, as plain data. Every call may be repeated: each is idempotent by its ids. Times are
 * epoch milliseconds.
 */

// ---- WebhookGate: one per webhook key (docs/design/dispatch.md#gate)
// -------------------------------------------------------------------
/** A gate's settings, pushed to it. `epoch` rises; the gate ignores older settings. */
export interface GateSettings {
  epoch: number;
  workflowId: string;
  /** Null when the workflow is not published. */
  versionId: string | null;
  /** What templates read of a request; null, and absent in older settings, for the body's variables alone. */
  payload?: PayloadNames | null;
  active: boolean;
  /** Absent in older settings, for a bearer token. */
  verification?: WebhookVerification;
  /** What the secret is checked with: its bcrypt hash, or for HMAC the sealed secret. */
  secretHash: string;
  /** The secrets before it. */
  oldSecret?: StoredOldSecrets;
  /** Null, and absent in older settings, for the default. */
  requestsPerMinute?: number | null;
  /** True when the key is no longer valid: regenerated, or its workflow deleted. */
  revoked: boolean;
}

/** What proves that a caller has the secret of a webhook: the hashes or sealed secrets that are valid now. */
export interface Verifiers {
  verification: WebhookVerification;
  verifiers: readonly string[];
}

/** Problems with a body that are found before its content is read. */
export type BodyProblemCode = "payload_too_large" | "unsupported_media_type" | "invalid_request" | "request_timeout";

export interface GateRequest {
  webhookKey: string;
  /** How the caller proved that it has the secret. */
  by: WebhookVerification["type"];
  /** SHA-256 of key and secret, base64url. The gate remembers a verified secret by it. Null with HMAC. */
  secretDigest: string | null;
  /**
   * The result of the check, with the verifiers that it used; with a secret set on the second call, after bcrypt. When
   * they were replaced meanwhile, it does not count.
   */
  verified?: { verifiers: readonly string[]; matches: boolean };
  executionId: string;
  /**
   * The request's body. A problem is reported only after the checks that come first
   * (docs/design/http-api.md#webhook-checks).
   */
  body:
    | {
        ok: true;
        dedupeKey: string;
        /** JSON of the whole body; empty without one. */
        text: string;
        /** JSON of its variables, or why it has none that templates could read. */
        variables: string | BodyProblem;
      }
    | { ok: false; problem: BodyProblem };
  delivery: DeliveryFacts;
  /** Slack checks the address: the request starts nothing, also of a workflow that is not active yet. */
  isCheck?: true;
  /** The headers and parameters of the address that templates may read. */
  sent: Readonly<Record<keyof PayloadNames, readonly (readonly [name: string, value: string])[]>>;
}

/** What the list of last deliveries shows of a request. */
export type DeliveryFacts = Pick<WebhookDelivery, "bytes" | "contentType" | "ignoredFields">;
export type Delivery = Omit<WebhookDelivery, "at"> & { at: number };

export interface BodyProblem {
  code: BodyProblemCode;
  detail: string;
  errors?: { path: string; message: string }[];
}

export type GateAnswer =
  | {
      type: "accepted";
      executionId: string;
      status: ExecutionStatus;
      startedAt: number;
      deduplicated: boolean;
      /** Templates read the whole body, so none of its fields is ignored. */
      readsBody: boolean;
    }
  | { type: "check" }
  | { type: "unknownKey" }
  | ({ type: "verifySecret" } & Verifiers)
  | { type: "wrongSecret" }
  | { type: "inactive" }
  | { type: "rateLimited"; retryAfterSeconds: number }
  | { type: "badBody"; problem: BodyProblem };

export interface GateRpc {
  /** Answers a whole webhook request in one call. */
  accept(request: GateRequest): Promise<GateAnswer>;
  /** How callers of this key are verified; null for a key that is not valid. */
  verifiers(webhookKey: string): Promise<Verifiers | null>;
  /** Notes a delivery that was refused before its event reached the gate. */
  refused(webhookKey: string, reason: DeliveryRefusal, facts: DeliveryFacts): Promise<void>;
  /** The last deliveries, newest first. */
  deliveries(webhookKey: string): Promise<readonly Delivery[]>;
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
  /** Set for a sub-workflow: the execution that waits for its end, the outermost one, and its depth. */
  parent?: { executionId: string; workflowId: string; nodeRunId: string; rootId: string; depth: number };
  /**
   * The people who started it (`personOf`) or its origin: the repeated execution or the parent. Absent for an event.
   */
  startedBy?: readonly string[];
  /** Set for a sub-workflow after an approval: the snapshot that its parent's approval covers. */
  approved?: Approved | null;
  /** Limits that hold for it, too: of its ancestors, or of the execution that it repeats. */
  limits?: readonly LimitUse[];
  /** Set for a retry: the finished execution, and whether its successful nodes are kept. */
  retry?: { of: string; from: "start" | "failed" };
  /** The audit entry of the start, written in the same batch: the log misses no start. */
  audit?: AuditRow;
  /** Set by the tick: the first batch moves the schedule on, and fails whole if the schedule has changed. */
  schedule?: ScheduleMove;
}

export interface WorkflowRunsRpc {
  /** Starts the execution, or returns its status if it was started before. Throws when libSQL cannot be reached. */
  start(order: StartOrder): Promise<{ executionId: string; status: ExecutionStatus }>;
  /** Starts accepted events, as `start` does, with an outcome for each. Throws when the isolate has no room for them. */
  startAll(orders: StartOrder[]): Promise<PromiseSettledResult<{ status: ExecutionStatus }>[]>;
  /** Applies a job's end; resolves when it is committed, also by an earlier call. Throws when libSQL is unreachable. */
  jobFinished(executionId: string, report: JobReport): Promise<void>;
  /** Null when there is no such execution; otherwise the status after the cancel. */
  cancel(executionId: string, by: string, audit?: AuditRow): Promise<ExecutionStatus | null>;
  /** Answers a node run that waits for approval. `notWaiting`: answered before, expired, or not an approval. */
  decide(executionId: string, decision: Decision, audit: AuditRow): Promise<"decided" | "notWaiting" | null>;
  /** Applies a sub-workflow's end to the execution that waits for it. */
  childEnded(executionId: string, report: ChildReport): Promise<void>;
  /**
   * The execution's revision once it is above `after`, or the unchanged one after about 20 s. Null when there is no
   * such execution.
   */
  nextRevision(executionId: string, after: number): Promise<number | null>;
  /** Begins the next waiting execution with this key, unless one runs. */
  admitNext(key: RunKey): Promise<void>;
  /** Decides again, one after the other, how executions enter that a maintenance window holds. */
  release(executionIds: string[]): Promise<void>;
  /**
   * Lets an execution that a maintenance window keeps from beginning enter now, also while windows are open. One that has
   * begun or ended is left alone. Null when there is no such execution; otherwise the status after the call.
   */
  begin(executionId: string, startedBy: string[], audit: AuditRow): Promise<ExecutionStatus | null>;
  /** Ends an execution whose place a newer one takes; an unsafe action that an agent has runs to its end first. */
  supersede(executionId: string, by: string): Promise<void>;
  /** Checks the execution again: does what is due, and repeats effects that a crash lost after the commit. */
  wake(executionId: string): Promise<void>;
  /** Starts the failure workflows of a failed execution that have not started. Resolves when it was tried. */
  reportFailure(executionId: string): Promise<void>;
}

// ---- Dispatcher: presence, health, queue, leases --------------------------------------------------------------------
export interface DispatcherRpc {
  enqueue(orders: JobOrder[]): Promise<void>;
  /** Cancels waiting jobs, and sends the cancel of delivered ones to their agents, unless `only` says "waiting". */
  cancel(jobIds: string[], only?: "waiting"): Promise<void>;
  /**
   * With `onlyIdle`, changes nothing while the agent holds jobs: a lease stays in the dispatcher that gave it, so only
   * an idle agent can be moved. Returns the number of jobs that prevented the change; 0 when the change is made.
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

  /** A connection changed: starts a review of waiting jobs and of agents' credentials, without awaiting its end. */
  review(connectionId: string): Promise<void>;
  /** Resolves when the job has ended here or was never here, or after `ms`. */
  waitForEnd(jobId: string, ms: number): Promise<void>;
  presence(agentIds: string[], withJobs?: boolean): Promise<AgentPresence[]>;
  view(poolId: string): Promise<PoolView>;
  jobStates(jobIds: string[]): Promise<JobState[]>;
}

// ---- Notifier: the jobs that the service runs itself, one object per workflow ---------------------------------------
/** Its callers use it like a dispatcher, named `notifier:<workflowId>`. */
export type NotifierRpc = Pick<DispatcherRpc, "enqueue" | "cancel" | "jobStates">;

// ---- ServiceControl: one for the deployment (docs/design/dispatch.md#pause) ----------------------------------------
export interface ControlRpc {
  read(): Promise<ControlState>;
  /** During a pause, replaces its reason. `audit` goes to libSQL once that answers. */
  pause(pause: Pause, audit: AuditRow): Promise<ControlState>;
  resume(audit: AuditRow): Promise<ControlState>;
}

// ---- Alerter: one for the deployment (docs/design/notifications.md) ------------------------------------------------
export interface AlerterSummary {
  /** By rule: the newest failure among the last notices to each of its receivers. */
  failures: Readonly<Record<string, { at: number; receiverId: string; detail: string }>>;
  counts: readonly NoticeCount[];
}

export interface NoticeCount {
  on: RuleEvent;
  result: "sent" | "failed";
  n: number;
}

/** A message of a rule to one receiver. */
export type AlerterNotice = Omit<Notice, "at"> & { at: number };

/** Events of a rule that wait for their message. */
export type AlerterCollected = Omit<CollectedEvents, "sendAt"> & { sendAt: number };

export interface AlerterRpc {
  /** The minute's look for what rules report. Never rejects because the database is away. */
  tick(now: number): Promise<void>;
  /** An execution has failed: looks soon, when there are rules. */
  nudge(): Promise<void>;
  /** Rules or receivers have changed. */
  refresh(): Promise<void>;
  /** The last notices of a rule, newest first. */
  notices(ruleId: string): Promise<readonly AlerterNotice[]>;
  /** What a rule has collected; null for nothing. */
  collected(ruleId: string): Promise<AlerterCollected | null>;
  summary(): Promise<AlerterSummary>;
}

// ---- ExecutionFeed: the steps of all executions, for event streams -------------------------------------------------
export type FeedPage =
  /** Each execution once, at its last step after `after`, in the order of steps; `seq` is the last number covered. */
  | { type: "steps"; seq: number; steps: SequencedStep[] }
  /** `after` is older than every step held; `seq` is the current number. */
  | { type: "behind"; seq: number }
  /** `after` is not from this sequence. */
  | { type: "resync"; seq: number };

export interface FeedRpc {
  /** Waits up to about 20 s for steps after `after`; without `after`, returns the current `seq` immediately. */
  next(after: number | null): Promise<FeedPage>;
}
