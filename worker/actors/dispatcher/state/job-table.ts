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

/** What storage must write of the jobs. */
export interface JobChanges {
  /** With what the job does, as JSON. */
  readonly inserted: Map<LiveJob, string>;
  readonly saved: Set<LiveJob>;
  readonly deleted: number[];
  readonly finished: FinishedJob[];
}

export type StoredJob = DispatchJob & { readonly seq: number };

interface TableOptions {
  /** When the dispatcher came back from an outage (epoch ms). */
  readonly graceFrom: number | null;
  /** Hears of every agent that holds more or fewer jobs, or that more or fewer are reserved for. */
  loadChanged(agentId: string): void;
  readonly stored: {
    /** The attempts of these jobs that storage knows to be over. */
    finished(jobIds: readonly string[]): FinishedJob[];
    oldestFinishedAt(after: number): number | null;
  };
}

/** What of a job `update` replaces. */
type JobUpdate = Partial<Pick<LiveJob, "job" | "needsCredential" | "isReporting">>;

/** Every job of a dispatcher that is not over. What they do (`params`, `values`) is on disk alone. */
export class JobTable {
  readonly #jobs = new Map<string, LiveJob>();
  /** Those that an agent is to be found for. */
  readonly queue = new JobQueue();
  readonly #heldBy = new SetMap<LiveJob>();
  readonly #reservedFor = new SetMap<LiveJob>();
  /** Of the reserved jobs those whose connection was not read yet, by connection. */
  readonly #unreadOf = new SetMap<LiveJob>();
  readonly #ended = new Set<LiveJob>();
  /** When jobs end by themselves, by job. */
  readonly deadlines = new DueTimes();
  readonly #with: TableOptions;
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

  /** Queued and reserved jobs, the longest waiting first; no more than so many. */
  waiting(most = Infinity): LiveJob[] {
    return this.queue.waiting().take(most).toArray();
  }

  /** Those that are over and whose run does not know it yet. */
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

  /** The agents that jobs are reserved for. */
  reservedAgents(): string[] {
    return this.#reservedFor.keys();
  }

  /** The agents that jobs of a connection are reserved for which was not read yet. */
  agentsOfUnread(connectionId: string): string[] {
    return [...(this.#unreadOf.get(connectionId) ?? [])].flatMap(({ job: { stage } }) =>
      stage.type === "reserved" ? stage.agentId : [],
    );
  }

  /**
   * When the job ends by itself; null when it does not. Right after an outage nothing that an agent holds ends: its result
   * may be waiting in the agent's journal for the service to come back.
   */
  deadlineOf({ job }: LiveJob): JobDeadline | null {
    const deadline = jobDeadline(job);
    if (deadline === null || job.stage.type !== "delivered") return deadline;
    return { ...deadline, at: Math.max(deadline.at, (this.#with.graceFrom ?? 0) + RESTART_GRACE_MS) };
  }

  /** Attempts of a job that are over. */
  finished(jobId: string): FinishedJob[] {
    return this.finishedAmong([jobId]).get(jobId) ?? [];
  }

  /** The same of many jobs, by job: storage is asked once. */
  finishedAmong(jobIds: readonly string[]): Map<string, FinishedJob[]> {
    const wanted = new Set(jobIds);
    const stored = jobIds.length === 0 ? [] : this.#with.stored.finished(jobIds);
    return Map.groupBy(
      [...stored, ...this.#changes.finished.filter((job) => wanted.has(job.jobId))],
      (job) => job.jobId,
    );
  }

  /** When the first job after `after` was finished (epoch ms); null when storage knows none. */
  oldestFinishedAt(after: number): number | null {
    return this.#with.stored.oldestFinishedAt(after);
  }

  /** A later order takes the place of an earlier one of the same job (`isLater`). False when nothing is new. */
  insert(order: AgentJobOrder): boolean {
    const known = this.#jobs.get(order.jobId);
    if (known !== undefined && !isLater(order, known.job.facts)) return false;
    if (this.finished(order.jobId).some((past) => !isLater(order, past))) return false;
    if (known !== undefined) this.#remove(known);
    const { params, values } = order;
    const payload = JSON.stringify({ params, values });
    const live = newLive(this.#nextSeq, queueJob(order, payload.length));
    this.#nextSeq += 1;
    this.#changes.inserted.set(live, payload);
    this.#enter(live);
    return true;
  }

  /** Makes `job` the job's record. */
  change(live: LiveJob, job: DispatchJob): void {
    if (job === live.job || !this.isCurrent(live)) return;
    this.#changes.saved.add(live);
    this.#update(live, { job });
  }

  /**
   * Reserves or releases. In memory alone: no agent knows of a reservation before its delivery, and after a restart jobs
   * are reserved again.
   */
  reserve(live: LiveJob, job: DispatchJob): void {
    if (job !== live.job && this.isCurrent(live)) this.#update(live, { job });
  }

  /** Whether its connection needs a credential, as it was read just now. */
  learn(live: LiveJob, needsCredential: boolean): void {
    if (live.needsCredential !== needsCredential && this.isCurrent(live)) this.#update(live, { needsCredential });
  }

  /** Its run is told of its agent's result, or could not be told. */
  setReporting(live: LiveJob, isReporting: boolean): void {
    if (this.isCurrent(live)) this.#update(live, { isReporting });
  }

  /** The job is over, and its run knows it. A newer attempt that came meanwhile stays. */
  finish(live: LiveJob, finished: FinishedJob): void {
    this.#changes.finished.push(finished);
    if (this.isCurrent(live)) this.#remove(live);
  }

  /** False when the job is over, or a later order took its place. */
  isCurrent(live: LiveJob): boolean {
    return this.#jobs.get(live.job.facts.jobId) === live;
  }

  /** What storage must write, once. */
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

/** A job that brings a credential, or takes one away, needs none. */
function newLive(seq: number, job: DispatchJob): LiveJob {
  const needsCredential = job.facts.kind === "credentialSync" ? false : null;
  return { seq, job, needsCredential, credentialIsOptional: false, isReporting: false, lastReport: null };
}
