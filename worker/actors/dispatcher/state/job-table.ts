import { NOT_PAUSED } from "../../../domain/control.ts";
import type { ControlState } from "../../../domain/control.ts";
import { RESTART_GRACE_MS } from "../../../../schema/limits.ts";
import { DueTimes } from "../../kit/due-times.ts";
import { SetMap } from "../../kit/set-map.ts";
import type { AgentJobOrder } from "../../../domain/job-order.ts";
import { jobDeadline } from "../rules/job-deadline.ts";
import type { JobDeadline } from "../rules/job-deadline.ts";
import { isLater, isWaiting, queueJob } from "../rules/job.ts";
import type { DispatchJob } from "../rules/job.ts";
import type { FinishedJob } from "../rules/judge-result.ts";
import { JobQueue } from "./job-queue.ts";
import type { HeldJob, LiveJob } from "./live-job.ts";

/** The changes of jobs that storage must write. */
export interface JobChanges {
  /** With the job's payload as JSON. */
  readonly inserted: Map<LiveJob, string>;
  readonly saved: Set<LiveJob>;
  readonly deleted: number[];
  readonly finished: FinishedJob[];
}

export type StoredJob = DispatchJob & { readonly seq: number };

interface TableOptions {
  /** When the dispatcher came back from an outage (epoch ms). */
  readonly graceFrom: number | null;
  /** Called for every agent whose number of held or reserved jobs changes. */
  loadChanged(agentId: string): void;
  readonly stored: {
    /** The stored attempts of these jobs that are over. */
    finished(jobIds: readonly string[]): FinishedJob[];
    oldestFinishedAt(after: number): number | null;
  };
}

/** The fields of a job that `update` replaces. */
type JobUpdate = Partial<Pick<LiveJob, "job" | "needsCredential" | "isReporting">>;

/** Every job of a dispatcher that is not over. Payloads (`params`, `values`) are only on disk. */
export class JobTable {
  readonly #jobs = new Map<string, LiveJob>();
  /** Queued and reserved jobs. */
  readonly queue = new JobQueue();
  readonly #heldBy = new SetMap<LiveJob>();
  readonly #reservedFor = new SetMap<LiveJob>();
  /** The reserved jobs whose connection has not been read, by connection. */
  readonly #unreadOf = new SetMap<LiveJob>();
  readonly #ended = new Set<LiveJob>();
  /** When jobs reach their time limits, by job. */
  readonly deadlines = new DueTimes();
  readonly #with: TableOptions;
  #control = NOT_PAUSED;
  /** Jobs past their time limit, before it is known whether a pause has begun. */
  readonly #unsure = new Set<LiveJob>();
  #nextSeq = 1;
  #changes = noChanges();

  constructor(jobs: readonly StoredJob[], options: TableOptions) {
    this.#with = options;
    for (const { seq, ...job } of jobs) {
      this.#nextSeq = seq + 1;
      this.#enter(newLive(seq, job));
    }
  }

  get(jobId: string): LiveJob | undefined {
    return this.#jobs.get(jobId);
  }

  /** Queued and reserved jobs, the longest waiting first; at most `most`. */
  waiting(most = Infinity): LiveJob[] {
    return this.queue.waiting().take(most).toArray();
  }

  /** Jobs that are over and not yet reported to their run. */
  get ended(): ReadonlySet<LiveJob> {
    return this.#ended;
  }

  heldBy(agentId: string): HeldJob[] {
    return [...(this.#heldBy.get(agentId) ?? [])].flatMap((live) => {
      const { stage } = live.job;
      return stage.type === "delivered" ? [{ live, stage }] : [];
    });
  }

  countHeldBy(agentId: string): number {
    return this.#heldBy.get(agentId)?.size ?? 0;
  }

  get someAreHeld(): boolean {
    return this.#heldBy.size > 0;
  }

  reservedFor(agentId: string): LiveJob[] {
    return [...(this.#reservedFor.get(agentId) ?? [])];
  }

  countReservedFor(agentId: string): number {
    return this.#reservedFor.get(agentId)?.size ?? 0;
  }

  /** The agents with reserved jobs. */
  reservedAgents(): string[] {
    return this.#reservedFor.keys();
  }

  /** Agents with reserved jobs of this connection, which has not been read yet. */
  agentsOfUnread(connectionId: string): string[] {
    return [...(this.#unreadOf.get(connectionId) ?? [])].flatMap(({ job: { stage } }) =>
      stage.type === "reserved" ? stage.agentId : [],
    );
  }

  /**
   * When and how the dispatcher ends the job; null for never. Held jobs get extra time after an outage: their results
   * may wait in the agents' journals for the service to come back.
   */
  deadlineOf({ job }: LiveJob): JobDeadline | null {
    const deadline = jobDeadline(job, this.#control);
    if (deadline === null || job.stage.type !== "delivered") return deadline;
    return { ...deadline, at: Math.max(deadline.at, (this.#with.graceFrom ?? 0) + RESTART_GRACE_MS) };
  }

  /** The time limits of waiting jobs depend on the pause. */
  follow(control: ControlState): void {
    const isSame = (control.pause === null) === (this.#control.pause === null);
    const isNews = !isSame || control.resumedAt !== this.#control.resumedAt;
    this.#control = control;
    for (const live of isNews ? this.queue.waiting() : this.#unsure) {
      if (this.isCurrent(live)) this.deadlines.set(live.job.facts.jobId, this.deadlineOf(live)?.at ?? null);
    }
    this.#unsure.clear();
  }

  /** The time limit of a waiting job has come, unless a pause has begun: `follow` decides, expected before `until`. */
  deferEnd(live: LiveJob, until: number): void {
    this.#unsure.add(live);
    this.deadlines.set(live.job.facts.jobId, until);
  }

  /** The attempts of a job that are over. */
  finished(jobId: string): FinishedJob[] {
    return this.finishedAmong([jobId]).get(jobId) ?? [];
  }

  /** Like `finished`, for many jobs with one query, by job. */
  finishedAmong(jobIds: readonly string[]): Map<string, FinishedJob[]> {
    const wanted = new Set(jobIds);
    const stored = jobIds.length === 0 ? [] : this.#with.stored.finished(jobIds);
    return Map.groupBy(
      [...stored, ...this.#changes.finished.filter((job) => wanted.has(job.jobId))],
      (job) => job.jobId,
    );
  }

  /** When the first job after `after` was finished (epoch ms); null when storage has none. */
  oldestFinishedAt(after: number): number | null {
    return this.#with.stored.oldestFinishedAt(after);
  }

  /** A later order replaces an earlier one of the same job (`isLater`). False when no order is new. */
  insert(orders: readonly AgentJobOrder[]): boolean {
    const finished = this.finishedAmong(orders.map(({ jobId }) => jobId));
    return orders.filter((order) => this.#insert(order, finished.get(order.jobId))).length > 0;
  }

  #insert(order: AgentJobOrder, finished: readonly FinishedJob[] = []): boolean {
    const known = this.#jobs.get(order.jobId);
    if (known !== undefined && !isLater(order, known.job.facts)) return false;
    if (finished.some((past) => !isLater(order, past))) return false;
    if (known !== undefined) this.#remove(known);
    const { params, values } = order;
    const payload = JSON.stringify({ params, values });
    const live = newLive(this.#nextSeq, queueJob(order, payload.length));
    this.#nextSeq += 1;
    this.#changes.inserted.set(live, payload);
    this.#enter(live);
    return true;
  }

  /** Replaces the job's record. */
  change(live: LiveJob, job: DispatchJob): void {
    if (job === live.job || !this.isCurrent(live)) return;
    this.#changes.saved.add(live);
    this.#update(live, { job });
  }

  /** Reserves or releases a job, in memory only: no agent knows, and after a restart jobs are reserved again. */
  reserve(live: LiveJob, job: DispatchJob): void {
    if (job !== live.job && this.isCurrent(live)) this.#update(live, { job });
  }

  /** Sets whether its connection, just read, needs a credential. */
  learn(live: LiveJob, needsCredential: boolean): void {
    if (live.needsCredential !== needsCredential && this.isCurrent(live)) this.#update(live, { needsCredential });
  }

  /** Set while its agent's result is being reported to its run. */
  setReporting(live: LiveJob, isReporting: boolean): void {
    if (this.isCurrent(live)) this.#update(live, { isReporting });
  }

  /** The job is over and reported to its run. A newer attempt that came meanwhile stays. */
  finish(live: LiveJob, finished: FinishedJob): void {
    this.#changes.finished.push(finished);
    if (this.isCurrent(live)) this.#remove(live);
  }

  /** False when the job is over, or was replaced by a later order. */
  isCurrent(live: LiveJob): boolean {
    return this.#jobs.get(live.job.facts.jobId) === live;
  }

  /** The changes that storage must write. Clears them. */
  takeChanges(): JobChanges {
    const changes = this.#changes;
    this.#changes = noChanges();
    return changes;
  }

  #remove(live: LiveJob): void {
    this.#leave(live);
    this.#jobs.delete(live.job.facts.jobId);
    this.deadlines.set(live.job.facts.jobId, null);
    this.#changes.saved.delete(live);
    if (!this.#changes.inserted.delete(live)) this.#changes.deleted.push(live.seq);
  }

  #update(live: LiveJob, changes: JobUpdate): void {
    this.#leave(live);
    Object.assign(live, changes);
    this.#enter(live);
  }

  #enter(live: LiveJob): void {
    const { facts, stage } = live.job;
    this.#jobs.set(facts.jobId, live);
    this.deadlines.set(facts.jobId, live.isReporting ? null : (this.deadlineOf(live)?.at ?? null));
    if (isWaiting(live.job)) this.queue.add(live, stage.type === "reserved");
    if (stage.type === "reserved") {
      this.#reservedFor.add(stage.agentId, live);
      if (live.needsCredential === null) this.#unreadOf.add(facts.connectionId, live);
    }
    if (stage.type === "delivered") this.#heldBy.add(stage.agentId, live);
    if (stage.type === "ended") this.#ended.add(live);
    if (stage.type === "reserved" || stage.type === "delivered") this.#with.loadChanged(stage.agentId);
  }

  #leave(live: LiveJob): void {
    const { facts, stage } = live.job;
    if (isWaiting(live.job)) this.queue.delete(live, stage.type === "reserved");
    if (stage.type === "reserved") {
      this.#reservedFor.delete(stage.agentId, live);
      this.#unreadOf.delete(facts.connectionId, live);
    }
    if (stage.type === "delivered") this.#heldBy.delete(stage.agentId, live);
    this.#ended.delete(live);
    if (stage.type === "reserved" || stage.type === "delivered") this.#with.loadChanged(stage.agentId);
  }
}

function noChanges(): JobChanges {
  return { inserted: new Map(), saved: new Set(), deleted: [], finished: [] };
}

/** A credential sync needs no credential. */
function newLive(seq: number, job: DispatchJob): LiveJob {
  const needsCredential = job.facts.kind === "credentialSync" ? false : null;
  return { seq, job, needsCredential, credentialIsOptional: false, isReporting: false, lastReport: null };
}
