import { secretsFromOf } from "../../../../schema/contract/action.ts";
import type { JobResult } from "../../../../schema/contract/agent.ts";
import type { LostAssignment } from "../../../../schema/contract/execution.ts";
import type { AgentJobOrder, JobOrder, JobReport, JobTimes, Reroute } from "../../../domain/job-order.ts";
import { SERVICE_ENDS } from "./service-end.ts";
import type { ServiceEnd } from "./service-end.ts";

/** An agent may give a job back any number of times before it begins, so only the latest are kept. */
const ASSIGNMENTS_KEPT = 20;
/** Codes of jobs that an agent stopped because its own process ended. */
const ENDS_OF_AGENTS: ReadonlySet<string> = new Set(["agent_shutdown", "agent_superseded"]);

/** The part of a job that the dispatcher keeps in memory. `params` and `values` stay on disk until the delivery. */
export type JobFacts = Omit<AgentJobOrder, "params" | "values"> & {
  /** The custom connection whose secrets the job's script gets. */
  readonly secretsFrom?: string;
  /** The length of `params` and `values` on disk. */
  readonly payloadChars: number;
  /** The last agent that lost the job. */
  readonly lostBy?: string | undefined;
};

/**
 * The stage of a job (docs/design/dispatch.md#stages). Once `delivered`, only a result under its lease counts
 * (invariant 2). An `ended` job waits for the run to take the report; with a `reroute` in it, the run orders the job in
 * another pool.
 */
export type JobStage =
  | { readonly type: "queued" }
  | { readonly type: "reserved"; readonly agentId: string; readonly assignedAt: number }
  | DeliveredStage
  | EndedStage;

export interface DeliveredStage {
  readonly type: "delivered";
  readonly agentId: string;
  readonly journalId: string;
  readonly lease: string;
  readonly assignedAt: number;
  readonly deliveredAt: number;
  /** The latest delivery, which is later than `deliveredAt` when an answer was lost. */
  readonly sentAt: number;
  readonly cancelRequested: boolean;
  /** True when its agent has sent a result that could not be committed: the job is not overdue, only unreported. */
  readonly resultShown: boolean;
  /** True when its agent has reported that it holds the job, so it did get it. */
  readonly heldShown?: true;
}

export interface EndedStage {
  readonly type: "ended";
  readonly report: JobReport;
  readonly lease: string | null;
}

/** A job in a dispatcher. Every transition below returns the next record; the caller stores it. */
export interface DispatchJob {
  readonly facts: JobFacts;
  readonly stage: JobStage;
}

/** The agent that gets the lease. */
export interface LeaseHolder {
  readonly agentId: string;
  readonly journalId: string;
  readonly lease: string;
}

/** True for jobs that agents run; the service sends notifications itself. */
export function isAgentJob(order: JobOrder): order is AgentJobOrder {
  return order.connectionId !== null;
}

/** Actions wait during a pause. Connection tests and credentials go on: people need them to end an outage. */
export function waitsInPause({ kind }: Pick<JobOrder, "kind">): boolean {
  return kind === "action";
}

/** `payloadChars` is the length of its `params` and `values` on disk. */
export function queueJob(order: AgentJobOrder, payloadChars = 0): DispatchJob {
  const { params, values: _values, ...rest } = order;
  const secretsFrom = order.action === null ? null : secretsFromOf(order.action, params);
  const facts = { ...rest, payloadChars, ...(secretsFrom === null ? {} : { secretsFrom }) };
  return { facts, stage: { type: "queued" } };
}

export function reserveJob(job: DispatchJob, agentId: string, now: number): DispatchJob {
  requireWaiting(job);
  return { ...job, stage: { type: "reserved", agentId, assignedAt: now } };
}

/** Back into the queue: the reserved agent did not fetch the job, or can no longer have it. */
export function releaseJob(job: DispatchJob): DispatchJob {
  requireWaiting(job);
  return { ...job, stage: { type: "queued" } };
}

/** Whether an order is a later one of the same job: a newer attempt, or one reroute more. A repeated order is not. */
export function isLater(order: OrderNumber, than: OrderNumber): boolean {
  if (order.attempt !== than.attempt) return order.attempt > than.attempt;
  return (order.reroutes ?? 0) > (than.reroutes ?? 0);
}

type OrderNumber = Pick<JobOrder, "attempt" | "reroutes">;

/** Gives the lease. Only a job that no agent holds can be delivered, so there is one lease at a time. */
export function deliverJob(job: DispatchJob, holder: LeaseHolder, now: number): DispatchJob {
  requireWaiting(job);
  const { stage } = job;
  const assignedAt = stage.type === "reserved" && stage.agentId === holder.agentId ? stage.assignedAt : now;
  const times = { assignedAt, deliveredAt: now, sentAt: now };
  return { ...job, stage: { type: "delivered", ...holder, ...times, cancelRequested: false, resultShown: false } };
}

/** Records that its agent no longer holds the job. Does not end it. */
export function lostHere(job: DispatchJob, what: Pick<LostAssignment, "startedAt" | "why">, now: number): DispatchJob {
  const { agentId, deliveredAt } = requireDelivered(job);
  const { facts, stage } = job;
  const lost = { agentId, deliveredAt, lostAt: now, ...what };
  const assignments = [...(facts.assignments ?? []), lost].slice(-ASSIGNMENTS_KEPT);
  return { facts: { ...facts, assignments }, stage };
}

/** Back into the queue after a delivery. The old lease is void from here on, and a new one may be given. */
export function queueAgain(job: DispatchJob): DispatchJob {
  requireDelivered(job);
  return { ...job, stage: { type: "queued" } };
}

/**
 * The attempt that agents see. An interrupted job gets a higher attempt, or its agent would answer from the journal.
 * Another lost job keeps its attempt, so that an agent with the result sends it.
 */
export function wireAttempt({ attempt, interrupted = 0 }: JobFacts): number {
  return attempt + interrupted;
}

/** The same delivery again, under the same lease: the agent does not have the job (invariant 3). */
export function redeliverJob(job: DispatchJob, now: number): DispatchJob {
  return { ...job, stage: { ...requireDelivered(job), sentAt: now, resultShown: false } };
}

/** Its agent has reported that it holds the job. */
export function showHeld(job: DispatchJob): DispatchJob {
  const stage = requireDelivered(job);
  return stage.heldShown === true ? job : { ...job, stage: { ...stage, heldShown: true } };
}

/** The run could not commit the agent's result. The agent keeps it and sends it again. */
export function showResult(job: DispatchJob): DispatchJob {
  const stage = job.stage.type === "delivered" ? job.stage : null;
  return stage === null || stage.resultShown ? job : { ...job, stage: { ...stage, resultShown: true } };
}

/**
 * Ends a waiting job, and requests the cancel of a delivered one. An ended job does not change, not even by a reroute:
 * the run does not order a job that it has cancelled.
 */
export function cancelJob(job: DispatchJob, now: number): DispatchJob {
  switch (job.stage.type) {
    case "queued":
    case "reserved":
      return endJob(job, "cancelled", now);
    case "delivered":
      return job.stage.cancelRequested ? job : { ...job, stage: { ...job.stage, cancelRequested: true } };
    case "ended":
      return job;
  }
}

/**
 * Ends a job without a result of its agent. `why` adds to the message; for a lost job it says what happened. The lease,
 * if any, is void from here on.
 */
export function endJob(job: DispatchJob, end: ServiceEnd, now: number, why: string | null = null): DispatchJob {
  const { stage, facts } = job;
  if (stage.type === "ended") return job;
  return { facts, stage: { type: "ended", ...endOf(job, end, now, why) } };
}

/** Ends a waiting job whose connection has moved (docs/design/dispatch.md#moved-connections). */
export function rerouteJob(
  job: DispatchJob,
  to: Pick<Reroute, "poolObject" | "pinnedAgentId">,
  now: number,
): DispatchJob {
  requireWaiting(job);
  const { facts } = job;
  const { reroutes = 0, lost, interrupted, lostAt } = facts;
  const losses = lost === undefined ? {} : { lost, interrupted: interrupted ?? 0, lostAt: lostAt ?? now };
  const { poolObject, pinnedAgentId } = to;
  const { report, lease } = endOf(job, "cancelled", now, null);
  const reroute = { poolObject, pinnedAgentId, reroutes: reroutes + 1, ...losses, ...assignmentsOf(facts) };
  return { facts, stage: { type: "ended", report: { ...report, reroute }, lease } };
}

function endOf(
  job: DispatchJob,
  end: ServiceEnd,
  now: number,
  why: string | null,
): Pick<EndedStage, "report" | "lease"> {
  const { stage, facts } = job;
  const { status, lost, message } = SERVICE_ENDS[end];
  const held = stage.type === "delivered" ? stage : null;
  const report: JobReport = {
    jobId: facts.jobId,
    attempt: facts.attempt,
    status,
    output: null,
    error: { code: end, message: (end === "agent_lost" ? [why, message] : [message, why]).filter(Boolean).join(" ") },
    agentId: held?.agentId ?? null,
    times: { ...timesOf(job), startedAt: startedBefore(job, end), finishedAt: now, reportedAt: now },
    ...assignmentsOf(facts),
    lost: lost && held !== null,
  };
  return { report, lease: held?.lease ?? null };
}

/** The report to the run about a result that the agent `agentName` sent under the current lease. */
export function reportOf(job: DispatchJob, result: JobResult, agentName: string, now: number): JobReport {
  const { agentId, deliveredAt } = requireDelivered(job);
  const isLost = result.status === "interrupted";
  // An agent's clock may be wrong, so its times are clamped to the span between the delivery and now.
  const within = (iso: string | null) =>
    iso === null ? null : Math.min(now, Math.max(deliveredAt, new Date(iso).getTime()));
  const startedAt = within(result.startedAt);
  const error = errorOf(result, agentName);
  const { facts } = isLost ? lostHere(job, { startedAt, why: error?.message ?? "" }, now) : job;
  return {
    jobId: facts.jobId,
    attempt: facts.attempt,
    status: result.status === "interrupted" ? "failed" : result.status,
    output: result.output,
    error,
    agentId,
    times: { ...timesOf(job), startedAt, finishedAt: within(result.finishedAt), reportedAt: now },
    ...assignmentsOf(facts),
    lost: isLost,
  };
}

/** When a lost job began, as far as its agent had reported (epoch ms). */
function startedBefore({ facts }: DispatchJob, end: ServiceEnd): number | null {
  return end === "agent_lost" ? (facts.assignments?.at(-1)?.startedAt ?? null) : null;
}

function assignmentsOf({ assignments }: JobFacts): Pick<JobReport, "assignments"> {
  return assignments === undefined ? {} : { assignments };
}

export function timesOf({ facts, stage }: DispatchJob): JobTimes {
  const none = { assignedAt: null, deliveredAt: null, startedAt: null, finishedAt: null, reportedAt: null };
  const times = { ...none, queuedAt: facts.queuedAt };
  switch (stage.type) {
    case "queued":
      return times;
    case "reserved":
      return { ...times, assignedAt: stage.assignedAt };
    case "delivered":
      return { ...times, assignedAt: stage.assignedAt, deliveredAt: stage.deliveredAt };
    case "ended":
      return stage.report.times;
  }
}

export function isWaiting(job: DispatchJob): boolean {
  return job.stage.type === "queued" || job.stage.type === "reserved";
}

/** An error that the agent itself caused names the agent, so that the reader looks at that machine. */
function errorOf({ error, status }: JobResult, agentName: string): JobReport["error"] {
  if (error !== null) {
    const isOfAgent = status === "interrupted" || ENDS_OF_AGENTS.has(error.code);
    return isOfAgent ? { ...error, message: `Agent ${agentName} reports: ${error.message}` } : error;
  }
  if (status === "succeeded" || status === "cancelled") return null;
  return {
    code: status,
    message: `Agent ${agentName} gave no reason. Look for one in the log of the agent on its machine.`,
  };
}

function requireWaiting(job: DispatchJob): void {
  if (!isWaiting(job)) throw new Error(`job ${job.facts.jobId} is ${job.stage.type} and cannot be given to an agent`);
}

function requireDelivered(job: DispatchJob): DeliveredStage {
  if (job.stage.type === "delivered") return job.stage;
  throw new Error(`job ${job.facts.jobId} is ${job.stage.type}: no agent holds it`);
}
