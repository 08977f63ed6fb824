import { formatHeld } from "../../schema/contract/agent.ts";
import type { Ack, Job, JobResult, LeaseRef } from "../../schema/contract/agent.ts";

interface HeldJob {
  job: Job;
  state: "queued" | "assigned" | "finished";
  cancelRequested: boolean;
  /** Whether the agent has reported the current lease as held. */
  wasShown: boolean;
}

/**
 * The jobs of the fake service, for its one agent, under the dispatcher's rules: leases are fenced, a job that the
 * agent does not hold is delivered again, and a cancel is repeated until the job has ended.
 * `tests/agent/jobs-conformance.test.ts` compares it with the real service.
 */
export class FakeServiceJobs {
  /** The other end of the agent's wake socket, if the test has one. */
  wake: { isOpen(): boolean; poll(): void; end(): void } | null = null;
  /** Added to the next answer of GET /jobs; they may be invalid. */
  readonly rawJobs: unknown[] = [];
  /** Added to the next answer that can carry cancels. */
  readonly rawCancels: LeaseRef[] = [];
  protected maxConcurrentJobs = 1;
  /** The agent shuts down, or has said goodbye: it gets no new jobs. */
  protected isDraining = false;
  protected isOffline = false;
  readonly #jobs = new Map<string, HeldJob>();
  /** Leases that a result has ended. */
  readonly #ended = new Set<string>();
  #count = 0;
  #enabled = true;

  get enabled(): boolean {
    return this.#enabled;
  }

  /** An agent learns of the change only from answers to heartbeats and registrations, so its socket ends. */
  set enabled(enabled: boolean) {
    this.#enabled = enabled;
    this.wake?.end();
  }

  /** Queues a job; it gets its lease on delivery. */
  enqueue(job: Partial<Job> = {}): Job {
    const id = job.id ?? `job_${++this.#count}`;
    const full: Job = {
      id,
      kind: "action",
      lease: "",
      action: "script.bash",
      effect: "unsafe",
      connection: { id: "con_1", type: "script", config: {} },
      params: { script: "true" },
      values: {},
      timeoutSeconds: 60,
      startWithinSeconds: 60,
      attempt: 1,
      ...job,
    };
    this.#jobs.set(id, { job: full, state: "queued", cancelRequested: false, wasShown: false });
    this.wake?.poll();
    return full;
  }

  /** Delivers a job once more, under a new lease: as after an agent that was offline. */
  assignAgain(jobId: string, changes: Partial<Job> = {}): void {
    const held = this.#known(jobId);
    held.job = { ...held.job, ...changes };
    held.state = "queued";
  }

  /** Forgets the job's result: the same lease is delivered again when the agent does not hold it. */
  forgetResult(jobId: string): void {
    const held = this.#known(jobId);
    held.state = "assigned";
    this.#ended.delete(formatHeld({ jobId, lease: held.job.lease }));
  }

  /** The job in its current form. */
  jobOf(jobId: string): Job {
    return this.#known(jobId).job;
  }

  /** Changes a job for its next delivery in any way, including into an invalid job. */
  change(jobId: string, changes: object): void {
    Object.assign(this.#known(jobId).job, changes);
  }

  leaseOf(jobId: string): string {
    return this.#known(jobId).job.lease;
  }

  /** Ends a waiting job, and asks the agent to stop a delivered one. */
  cancel(jobId: string): void {
    const held = this.#known(jobId);
    if (held.state === "queued") held.state = "finished";
    else held.cancelRequested = true;
    this.wake?.poll();
  }

  protected deliver(capacity: number, held: readonly LeaseRef[]): unknown[] {
    this.noteHeld(held);
    for (const entry of this.#missing(held)) {
      // The agent never had it, so it did not begin: its cancel needs no answer.
      if (entry.cancelRequested && !entry.wasShown) entry.state = "finished";
    }
    const missing = this.#missing(held);
    const places = this.maxConcurrentJobs - this.#assigned().length;
    const isServed = this.enabled && !this.isDraining && !this.isOffline;
    const queued = [...this.#jobs.values()].filter(({ state }) => state === "queued");
    const fresh = isServed ? queued.slice(0, Math.max(0, Math.min(capacity - missing.length, places))) : [];
    for (const entry of fresh) {
      entry.job = { ...entry.job, lease: `lease${++this.#count}` };
      Object.assign(entry, { state: "assigned", cancelRequested: false, wasShown: false });
    }
    const again = this.enabled ? missing : [];
    return [...this.rawJobs.splice(0), ...[...again, ...fresh].map(({ job }) => job)];
  }

  protected noteHeld(held: readonly LeaseRef[]): void {
    for (const { jobId, lease } of held) {
      const entry = this.#jobs.get(jobId);
      if (entry?.job.lease === lease) entry.wasShown = true;
    }
  }

  /** Jobs that the agent has not reported go to another agent: this agent's polls have ended. */
  protected drain(held: readonly LeaseRef[]): void {
    this.isDraining = true;
    for (const entry of this.#missing(held)) if (!entry.wasShown) entry.state = "queued";
  }

  /** The held leases whose jobs the agent must stop. */
  protected cancelledAmong(held: readonly LeaseRef[]): LeaseRef[] {
    const cancelled = held.filter((ref) => {
      const entry = this.#jobs.get(ref.jobId);
      // Under another lease the job is sent again, and the agent continues under the newer lease.
      if (entry?.state === "assigned") return entry.job.lease === ref.lease && entry.cancelRequested;
      return !this.#ended.has(formatHeld({ jobId: ref.jobId, lease: ref.lease }));
    });
    return [...cancelled, ...this.rawCancels.splice(0)];
  }

  protected settle({ jobId, lease, status }: JobResult): Ack {
    const entry = this.#jobs.get(jobId);
    if (this.#ended.has(formatHeld({ jobId, lease }))) return "duplicate";
    if (entry === undefined) return "unknown";
    if (entry.state !== "assigned" || entry.job.lease !== lease) return "stale";
    const { kind, effect } = entry.job;
    const mayRunAgain = kind !== "credentialSync" && effect !== "unsafe" && !entry.cancelRequested;
    if (status === "interrupted" && mayRunAgain) {
      entry.state = "queued";
      return "accepted";
    }
    entry.state = "finished";
    this.#ended.add(formatHeld({ jobId, lease }));
    return "accepted";
  }

  #assigned(): HeldJob[] {
    return [...this.#jobs.values()].filter(({ state }) => state === "assigned");
  }

  /** Delivered jobs that the agent does not hold. */
  #missing(held: readonly LeaseRef[]): HeldJob[] {
    const shown = new Set(held.map(formatHeld));
    return this.#assigned().filter(({ job }) => !shown.has(formatHeld({ jobId: job.id, lease: job.lease })));
  }

  #known(jobId: string): HeldJob {
    const held = this.#jobs.get(jobId);
    if (held === undefined) throw new Error(`no such job: ${jobId}`);
    return held;
  }
}
