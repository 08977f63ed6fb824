import { isWaiting, queueJob, releaseJob } from "../../domain/job-lifecycle.ts";
import type { DeliveredStage, JobStage, PoolJob } from "../../domain/job-lifecycle.ts";
import type { FinishedJob } from "../../domain/judge-result.ts";
import type { AgentJobOrder } from "../../domain/run-types.ts";
import type { PoolStorage } from "./pool-storage.ts";

/** A job that is not over. */
export interface LiveJob {
  /** The number of its row; rises with every job. */
  readonly seq: number;
  job: PoolJob;
  /** Whether its connection needs a credential, as it was last read; null before it was. */
  needsCredential: boolean | null;
  /** Set while its end is being told, or it is being sent to another Pool: nobody else may move it then. */
  busy: Promise<boolean> | null;
  /** What its agent says of the lease; null before it said something, and after a restart. */
  sight: LeaseSight | null;
}

/** Whether an agent says that it has what was delivered to it. */
export interface LeaseSight {
  readonly lease: string;
  readonly wasShown: boolean;
  /** Since when it says that it does not (epoch ms); null while it does. */
  readonly missedAt: number | null;
}

/** A live job that an agent holds, with what it holds it by. */
export interface HeldJob {
  readonly live: LiveJob;
  readonly stage: DeliveredStage;
}

/** Every job of a Pool that is not over: in memory for choosing, on disk as the truth. */
export class JobBook {
  readonly #storage: PoolStorage;
  readonly #jobs = new Map<string, LiveJob>();
  /** Queued and assigned jobs, the longest waiting first. */
  readonly #waiting: LiveJob[] = [];
  readonly #heldBy = new Map<string, Set<LiveJob>>();
  readonly #assignedTo = new Map<string, Set<LiveJob>>();
  readonly #ended = new Set<LiveJob>();
  readonly #loadChanged: (agentId: string) => void;
  /** Those who wait for a job to be over. */
  readonly #listeners = new Map<string, Set<() => void>>();
  #nextSeq = 1;

  /** `loadChanged` hears of every agent that holds more or fewer jobs, or that more or fewer are kept for. */
  constructor(storage: PoolStorage, loadChanged: (agentId: string) => void) {
    this.#storage = storage;
    this.#loadChanged = loadChanged;
    for (const { seq, ...job } of storage.loadJobs()) {
      this.#nextSeq = seq + 1;
      this.#enter({ seq, job, needsCredential: null, busy: null, sight: null });
    }
  }

  get(jobId: string): LiveJob | undefined {
    return this.#jobs.get(jobId);
  }

  all(): Iterable<LiveJob> {
    return this.#jobs.values();
  }

  /** Queued and assigned jobs, the longest waiting first. Do not change jobs while going through it. */
  waiting(): readonly LiveJob[] {
    return this.#waiting;
  }

  /** Those whose end Run has not taken yet. */
  ended(): LiveJob[] {
    return [...this.#ended];
  }

  heldBy(agentId: string): HeldJob[] {
    const held: HeldJob[] = [];
    for (const live of this.#heldBy.get(agentId) ?? []) {
      if (live.job.stage.type === "delivered") held.push({ live, stage: live.job.stage });
    }
    return held;
  }

  /** The agents that hold jobs. */
  holders(): string[] {
    return [...this.#heldBy.keys()];
  }

  countHeldBy(agentId: string): number {
    return this.#heldBy.get(agentId)?.size ?? 0;
  }

  assignedTo(agentId: string): LiveJob[] {
    return [...(this.#assignedTo.get(agentId) ?? [])];
  }

  /** The agents that jobs are kept for. */
  assignees(): string[] {
    return [...this.#assignedTo.keys()];
  }

  countAssignedTo(agentId: string): number {
    return this.#assignedTo.get(agentId)?.size ?? 0;
  }

  /** Attempts of a job that are over. */
  finished(jobId: string): FinishedJob[] {
    return this.#storage.loadFinished(jobId);
  }

  /** Idempotent by (jobId, attempt); a newer attempt takes the place of an older one. False when nothing is new. */
  insert(order: AgentJobOrder): boolean {
    const known = this.#jobs.get(order.jobId);
    if (known !== undefined && known.job.facts.attempt >= order.attempt) return false;
    const over = this.#storage
      .loadFinished(order.jobId)
      // What was sent on may come back: its connection was moved to and fro.
      .some((past) => past.attempt >= order.attempt && past.by !== "forwarded");
    if (over) return false;
    if (known !== undefined) this.#remove(known);
    const live: LiveJob = {
      seq: this.#nextSeq,
      job: queueJob(order),
      needsCredential: null,
      busy: null,
      sight: null,
    };
    this.#nextSeq += 1;
    this.#storage.insertJob(live.seq, live.job, order);
    this.#enter(live);
    return true;
  }

  /** The order as it would be told again; null when the job was replaced or is over. */
  orderOf(live: LiveJob): { order: AgentJobOrder; chars: number } | null {
    const payload = this.#storage.loadPayload(live.seq);
    if (payload === null) return null;
    const { chars, ...work } = payload;
    return { order: { ...live.job.facts, ...work }, chars };
  }

  /** Makes `job` the job's record. */
  change(live: LiveJob, job: PoolJob): void {
    if (job === live.job || !this.#isCurrent(live)) return;
    if (job.facts === live.job.facts) this.#storage.saveStage(live.seq, job.stage);
    else this.#storage.saveJob(live.seq, job);
    this.#replace(live, job);
  }

  /**
   * Assigns or releases. In memory alone: no agent knows of an assignment before it is delivered, and after a restart
   * the next poll assigns anew.
   */
  reserve(live: LiveJob, job: PoolJob): void {
    if (job !== live.job && this.#isCurrent(live)) this.#replace(live, job);
  }

  releaseAllOf(agentId: string): void {
    for (const live of this.assignedTo(agentId)) this.reserve(live, releaseJob(live.job));
  }

  /** The job is over. A newer attempt that came meanwhile stays. */
  finish(live: LiveJob, finished: FinishedJob): void {
    this.#storage.saveFinished(finished);
    if (this.#isCurrent(live)) this.#remove(live);
    for (const listener of this.#listeners.get(finished.jobId) ?? []) listener();
  }

  /** Calls `listener` when the job is over; gives what stops that. */
  onFinished(jobId: string, listener: () => void): () => void {
    const listeners = this.#listeners.get(jobId) ?? new Set();
    this.#listeners.set(jobId, listeners.add(listener));
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0) this.#listeners.delete(jobId);
    };
  }

  #isCurrent(live: LiveJob): boolean {
    return this.#jobs.get(live.job.facts.jobId) === live;
  }

  #remove(live: LiveJob): void {
    this.#leave(live);
    this.#jobs.delete(live.job.facts.jobId);
    this.#storage.deleteJob(live.seq);
  }

  #replace(live: LiveJob, job: PoolJob): void {
    this.#leave(live);
    live.job = job;
    this.#enter(live);
  }

  #enter(live: LiveJob): void {
    const { facts, stage } = live.job;
    this.#jobs.set(facts.jobId, live);
    if (isWaiting(live.job)) this.#waiting.splice(this.#placeOf(live), 0, live);
    if (stage.type === "assigned") memberSet(this.#assignedTo, stage.agentId).add(live);
    if (stage.type === "delivered") memberSet(this.#heldBy, stage.agentId).add(live);
    if (stage.type === "ended") this.#ended.add(live);
    this.#tellLoad(stage);
  }

  #leave(live: LiveJob): void {
    const { stage } = live.job;
    if (isWaiting(live.job)) this.#waiting.splice(this.#placeOf(live), 1);
    if (stage.type === "assigned") leaveSet(this.#assignedTo, stage.agentId, live);
    if (stage.type === "delivered") leaveSet(this.#heldBy, stage.agentId, live);
    this.#ended.delete(live);
    this.#tellLoad(stage);
  }

  #tellLoad(stage: JobStage): void {
    if (stage.type === "assigned" || stage.type === "delivered") this.#loadChanged(stage.agentId);
  }

  /** Where a job stands among the waiting ones, or would stand. */
  #placeOf(live: LiveJob): number {
    let low = 0;
    let high = this.#waiting.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const other = this.#waiting[middle];
      if (other !== undefined && comesBefore(other, live)) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

function comesBefore(a: LiveJob, b: LiveJob): boolean {
  const byTime = a.job.facts.queuedAt - b.job.facts.queuedAt;
  return byTime === 0 ? a.seq < b.seq : byTime < 0;
}

function memberSet(map: Map<string, Set<LiveJob>>, agentId: string): Set<LiveJob> {
  const known = map.get(agentId);
  if (known !== undefined) return known;
  const created = new Set<LiveJob>();
  map.set(agentId, created);
  return created;
}

function leaveSet(map: Map<string, Set<LiveJob>>, agentId: string, live: LiveJob): void {
  const known = map.get(agentId);
  known?.delete(live);
  if (known?.size === 0) map.delete(agentId);
}
