import { SetMap } from "../../actors/kit/set-map.ts";
import { isLater, isWaiting, queueJob, releaseJob } from "../../actors/dispatcher/rules/job.ts";
import type { DeliveredStage, JobStage, PoolJob } from "../../actors/dispatcher/rules/job.ts";
import type { FinishedJob } from "../../actors/dispatcher/rules/judge-result.ts";
import type { AgentJobOrder } from "../../domain/run-types.ts";
import { JobQueue } from "./job-queue.ts";
import type { PoolStorage } from "./pool-storage.ts";

/** A job that is not over. */
export interface LiveJob {
  /** The number of its row; rises with every job. */
  readonly seq: number;
  job: PoolJob;
  /** Whether its connection needs a credential, as it was last read (`JobBook.learn`); null before it was. */
  needsCredential: boolean | null;
  /** Set while its end is being told: nothing else may change it then. */
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
  /** Those that an agent is to be found for. */
  readonly queue = new JobQueue();
  readonly #heldBy = new SetMap<LiveJob>();
  readonly #assignedTo = new SetMap<LiveJob>();
  /** Of the assigned jobs those whose connection was not read yet, by connection. */
  readonly #unreadOf = new SetMap<LiveJob>();
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
      this.#enter(newLive(seq, job));
    }
  }

  get(jobId: string): LiveJob | undefined {
    return this.#jobs.get(jobId);
  }

  all(): Iterable<LiveJob> {
    return this.#jobs.values();
  }

  /** Queued and assigned jobs, the longest waiting first; no more than so many. */
  waiting(most = Infinity): LiveJob[] {
    const first: LiveJob[] = [];
    for (const live of this.queue.waiting()) {
      if (first.length >= most) break;
      first.push(live);
    }
    return first;
  }

  /** Those whose end Run has not taken yet. */
  ended(): LiveJob[] {
    return [...this.#ended];
  }

  /** Those among them that Run is to order in another Pool. */
  rerouted(): LiveJob[] {
    return this.ended().filter(({ job: { stage } }) => stage.type === "ended" && stage.report.reroute !== undefined);
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
    return this.#heldBy.keys();
  }

  countHeldBy(agentId: string): number {
    return this.#heldBy.get(agentId)?.size ?? 0;
  }

  assignedTo(agentId: string): LiveJob[] {
    return [...(this.#assignedTo.get(agentId) ?? [])];
  }

  /** The agents that jobs of a connection are kept for which was not read yet. */
  assigneesOfUnread(connectionId: string): string[] {
    return [...(this.#unreadOf.get(connectionId) ?? [])].flatMap(({ job: { stage } }) =>
      stage.type === "assigned" ? stage.agentId : [],
    );
  }

  countAssignedTo(agentId: string): number {
    return this.#assignedTo.get(agentId)?.size ?? 0;
  }

  /** Attempts of a job that are over. */
  finished(jobId: string): FinishedJob[] {
    return this.#storage.loadFinished(jobId);
  }

  /** A later order takes the place of an earlier one of the same job (`isLater`). False when nothing is new. */
  insert(order: AgentJobOrder): boolean {
    const known = this.#jobs.get(order.jobId);
    if (known !== undefined && !isLater(order, known.job.facts)) return false;
    if (this.finished(order.jobId).some((past) => !isLater(order, past))) return false;
    if (known !== undefined) this.#remove(known);
    const live = newLive(this.#nextSeq, queueJob(order));
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

  /** Whether its connection needs a credential, as it was read just now. */
  learn(live: LiveJob, needsCredential: boolean): void {
    if (live.needsCredential === needsCredential) return;
    const isCurrent = this.#isCurrent(live);
    if (isCurrent) this.#leave(live);
    live.needsCredential = needsCredential;
    if (isCurrent) this.#enter(live);
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
    if (isWaiting(live.job)) this.queue.addWaiting(live);
    if (stage.type === "queued") this.queue.add(live);
    if (stage.type === "assigned") {
      this.#assignedTo.add(stage.agentId, live);
      if (live.needsCredential === null) this.#unreadOf.add(facts.connectionId, live);
    }
    if (stage.type === "delivered") this.#heldBy.add(stage.agentId, live);
    if (stage.type === "ended") this.#ended.add(live);
    this.#tellLoad(stage);
  }

  #leave(live: LiveJob): void {
    const { facts, stage } = live.job;
    if (isWaiting(live.job)) this.queue.deleteWaiting(live);
    if (stage.type === "queued") this.queue.delete(live);
    if (stage.type === "assigned") {
      this.#assignedTo.delete(stage.agentId, live);
      this.#unreadOf.delete(facts.connectionId, live);
    }
    if (stage.type === "delivered") this.#heldBy.delete(stage.agentId, live);
    this.#ended.delete(live);
    this.#tellLoad(stage);
  }

  #tellLoad(stage: JobStage): void {
    if (stage.type === "assigned" || stage.type === "delivered") this.#loadChanged(stage.agentId);
  }
}

/** One that brings a credential, or takes one away, needs none. */
function newLive(seq: number, job: PoolJob): LiveJob {
  const needsCredential = job.facts.kind === "credentialSync" ? false : null;
  return { seq, job, needsCredential, busy: null, sight: null };
}
