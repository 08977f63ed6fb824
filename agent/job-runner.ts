import type { Job, LeaseRef } from "../schema/contract/agent.ts";
import type { Secrets } from "../schema/contract/credential.ts";
import type { Failure } from "../schema/contract/problem.ts";
import { ACTION_TIMEOUT_MAX_SECONDS } from "../schema/limits.ts";
import { noteFinished } from "./activity.ts";
import type { Activity } from "./activity.ts";
import { elapsedMs, momentOf } from "./clock.ts";
import type { Clock, Moment } from "./clock.ts";
import { executeJob } from "./jobs/execute-job.ts";
import type { Executors } from "./executors-port.ts";
import type { ExecutorOutcome, ExecutorSettings } from "./executors/executor.ts";
import { processMarkOf } from "./jobs/process-mark.ts";
import { scriptCredentialOf } from "./jobs/script-secrets.ts";
import { testVerdict, toResult } from "./jobs/outcome.ts";
import type { StopReason } from "./jobs/outcome.ts";
import type { Entry } from "./journal/state.ts";
import { JournalUnwritable } from "./journal/index.ts";
import type { Journal } from "./journal/index.ts";
import { describeError } from "./log.ts";
import type { Log } from "./log.ts";
import type { Programs } from "./programs/program.ts";
import type { Masker } from "./jobs/masker.ts";
import { secretsIn } from "./vault/releases.ts";
import type { Release, Releases } from "./vault/releases.ts";

const SECOND_MS = 1_000;
/** How long an executor may take to end what it began. After that the job is reported without it. */
const STOP_GRACE_MS = 10 * SECOND_MS;

export interface JobRunnerOptions {
  journal: Journal;
  vault: { ready: Promise<unknown>; releases: Pick<Releases, "forConnection" | "forScript"> };
  executors: Executors;
  settings: ExecutorSettings;
  programs: Programs;
  syncCredential: (job: Job) => Promise<ExecutorOutcome>;
  masker: Masker;
  activity: Activity;
  log: Log;
  clock: Clock;
  /** A result is in the journal, and there is room for a job again. */
  onFinished: () => void;
  stopGraceMs?: number;
}

interface Running {
  job: Job;
  /** When the poll that brought the job was sent. */
  polled: Moment;
  startedAt: number;
  controller: AbortController;
  stop: StopReason | null;
  secrets: Secrets | null;
  scriptSecrets: Secrets | null;
}

/** Runs jobs side by side, each from its first line in the journal to the line with its result. */
export class JobRunner {
  readonly #options: JobRunnerOptions;
  readonly #running = new Map<string, Running>();
  readonly #done = new Set<Promise<void>>();

  constructor(options: JobRunnerOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#running.size;
  }

  running(): { jobId: string; action: string | null; kind: Job["kind"]; startedAt: number }[] {
    return [...this.#running.values()].map(({ job, startedAt }) => ({
      jobId: job.id,
      action: job.action,
      kind: job.kind,
      startedAt,
    }));
  }

  /** Leases of jobs that are not in the journal yet, perhaps because its disk hangs. */
  beginning(): LeaseRef[] {
    const refs = [...this.#running.values()].map(({ job }) => ({ jobId: job.id, lease: job.lease }));
    return refs.filter((ref) => this.#options.journal.byLease(ref) === undefined);
  }

  /** The secrets of running jobs. They stay secret even when the vault has newer values. */
  secretsInUse(): Secrets[] {
    return [...this.#running.values()].flatMap(({ secrets, scriptSecrets }) =>
      [secrets, scriptSecrets].filter((given) => given !== null),
    );
  }

  /**
   * Resolves to true when the journal has recorded that the job begins, and to false when the job does not run because
   * the journal could not record it. `polled` is when the poll that brought the job was sent. While a disk hangs, a job
   * may be delivered again before the journal knows it.
   */
  async start(job: Job, polled: Moment = momentOf(this.#options.clock)): Promise<boolean> {
    if (this.#running.has(job.id)) return false;
    const running: Running = {
      job,
      polled,
      startedAt: this.#options.clock.now(),
      controller: new AbortController(),
      stop: null,
      secrets: null,
      scriptSecrets: null,
    };
    this.#running.set(job.id, running);
    const entry = await this.#begin({ jobId: job.id, lease: job.lease, attempt: job.attempt });
    if (entry === null) {
      this.#running.delete(job.id);
      return false;
    }
    const done = this.#run(entry, running).finally(() => this.#done.delete(done));
    this.#done.add(done);
    return true;
  }

  /** Reports a job as failed without running it. False as for `start`. */
  async refuse(job: LeaseRef & { attempt: number }, error: Failure): Promise<boolean> {
    const entry = await this.#begin(job);
    if (entry === null) return false;
    const now = this.#options.clock.now();
    await this.#finish(entry, {
      job: { id: job.jobId, lease: job.lease, timeoutSeconds: 0 },
      outcome: { status: "failed", output: null, error },
      stop: null,
      startedAt: now,
      finishedAt: now,
    });
    return true;
  }

  /** Stops a job if it runs here under this lease. */
  cancel(ref: LeaseRef): void {
    const running = this.#running.get(ref.jobId);
    if (running === undefined || this.#options.journal.newestOf(ref.jobId)?.lease !== ref.lease) return;
    if (running.stop === null) this.#options.log.info("a job is cancelled", { jobId: ref.jobId });
    stop(running, "cancelled");
  }

  stopAll(reason: StopReason): void {
    for (const running of this.#running.values()) stop(running, reason);
  }

  /** Resolves when all jobs have ended. */
  async idle(): Promise<void> {
    while (this.#done.size > 0) await Promise.all(this.#done);
  }

  async #begin(job: LeaseRef & { attempt: number }): Promise<Entry | null> {
    try {
      return await this.#options.journal.begin(job);
    } catch (error) {
      if (!(error instanceof JournalUnwritable)) throw error;
      this.#options.log.warning("a job was not begun: the journal cannot be written", { jobId: job.jobId });
      return null;
    }
  }

  async #run(entry: Entry, running: Running): Promise<void> {
    const { job } = running;
    const { clock, log } = this.#options;
    const begunAtMs = clock.monotonicMs();
    const { id: jobId, executionId, kind, action, connection } = job;
    log.info("a job begins", { jobId, executionId, kind, action: action ?? undefined, connectionId: connection?.id });
    const outcome = await this.#outcomeOf(entry, running);
    const finishedAt = clock.now();
    // A duration comes from the monotonic clock: the wall clock may have been set meanwhile.
    const startedAt = finishedAt - Math.round(clock.monotonicMs() - begunAtMs);
    await this.#finish(entry, { job, outcome, stop: running.stop, startedAt, finishedAt });
    this.#running.delete(job.id);
    this.#options.onFinished();
  }

  async #outcomeOf(entry: Entry, running: Running): Promise<ExecutorOutcome | null> {
    const { journal, vault, executors, settings, programs, syncCredential, clock } = this.#options;
    const { stopGraceMs = STOP_GRACE_MS } = this.#options;
    const { job, controller } = running;
    const timeoutMs = Math.min(job.timeoutSeconds, ACTION_TIMEOUT_MAX_SECONDS) * SECOND_MS;
    try {
      await vault.ready;
    } catch (error) {
      return notBegun(
        "internal_error",
        `The agent's vault did not open: ${describeError(error)}. Run bellhop-agent doctor on its machine.`,
      );
    }
    if (controller.signal.aborted) return notBegun("stopped", "The job was stopped before it began.");
    if (elapsedMs(clock, running.polled) > job.startWithinSeconds * SECOND_MS) {
      return notBegun(
        "begun_too_late",
        "The agent's machine was suspended or blocked before the job could begin, so the job did not run. It is safe to run it again.",
      );
    }
    const timer = setTimeout(() => stop(running, "timed_out"), timeoutMs);
    const user = job.kind === "credentialSync" ? null : job.connection;
    const credential: Release = user === null ? { state: "none" } : vault.releases.forConnection(user, job);
    const scriptCredential = scriptCredentialOf(job, vault.releases);
    running.secrets = secretsIn(credential);
    running.scriptSecrets = secretsIn(scriptCredential);
    const execution = executeJob(job, {
      executors,
      settings,
      programs,
      syncCredential,
      credential,
      scriptCredential,
      signal: controller.signal,
      timeoutMs,
      processMark: processMarkOf(journal.journalId, entry),
      monotonicMs: () => clock.monotonicMs(),
    });
    try {
      return await Promise.race([execution, givenUpAfter(controller.signal, stopGraceMs)]);
    } finally {
      clearTimeout(timer);
    }
  }

  async #finish(entry: Entry, finished: Parameters<typeof toResult>[0]): Promise<void> {
    const { journal, masker, activity, log } = this.#options;
    let result;
    try {
      result = toResult(finished, masker);
    } catch (error) {
      const message = `The output could not be prepared for sending: ${describeError(error)}`;
      const outcome = { status: "failed" as const, output: null, error: { code: "internal_error", message } };
      result = toResult({ ...finished, outcome }, masker);
    }
    await journal.finish(entry, result);
    noteFinished(activity, finished.job.action ?? null, result.status);
    log.info("a job is done", {
      jobId: result.jobId,
      executionId: finished.job.executionId,
      status: result.status,
      ...(finished.job.kind === "connectionTest" ? testVerdict(result.output) : {}),
      error: result.error ?? undefined,
      durationMs: finished.finishedAt - finished.startedAt,
    });
  }
}

function notBegun(code: string, message: string): ExecutorOutcome {
  return { status: "failed", output: null, error: { code, message } };
}

function stop(running: Running, reason: StopReason): void {
  // The first reason is the reported one.
  if (running.stop !== null) return;
  running.stop = reason;
  running.controller.abort(new Error(`the job was stopped: ${reason}`));
}

/** Resolves to null when the grace after the signal's abort is over; otherwise never. */
function givenUpAfter(signal: AbortSignal, graceMs: number): Promise<null> {
  return new Promise((resolve) => {
    const begin = () => setTimeout(() => resolve(null), graceMs);
    if (signal.aborted) begin();
    else signal.addEventListener("abort", begin, { once: true });
  });
}
