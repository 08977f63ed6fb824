import type { JobResult } from "../../schema/contract/agent.ts";
import type { Activity } from "../activity.ts";
import { momentOf, elapsedMs, untilAborted } from "../clock.ts";
import type { Clock, Moment } from "../clock.ts";
import type { Entry } from "../journal/state.ts";
import type { Journal } from "../journal/index.ts";
import { describeError } from "../log.ts";
import type { Log } from "../log.ts";
import { adviceFor, backoffMs, nextStep } from "../service/retry.ts";
import type { Random } from "../service/retry.ts";
import type { ServiceLink } from "../service/link.ts";

const BATCH_MAX_BYTES = 8 * 1_024 * 1_024;
const BATCH_MAX_RESULTS = 100;

export interface ResultSenderOptions {
  journal: Journal;
  link: ServiceLink;
  activity: Activity;
  log: Log;
  clock: Clock;
  random: Random;
  /** A batch was answered or has failed. */
  onProgress?: () => void;
}

/** Sends the journal's results until the service acknowledges them (ARCHITECTURE.md#invariants). */
export class ResultSender {
  readonly #options: ResultSenderOptions;
  /** Results that the service refused, with the number of refusals. */
  readonly #refusals = new WeakMap<Entry, number>();
  #sending: Promise<void> | null = null;
  #failures = 0;
  /** How many times in a row the service answered without taking all results. */
  #leftBehind = 0;
  #pause: { since: Moment; forMs: number } | null = null;

  constructor(options: ResultSenderOptions) {
    this.#options = options;
  }

  /**
   * Sends all unacknowledged results in batches, one batch at a time. Never throws; does nothing during a back-off.
   * A second call waits for the first until its `signal` is aborted, because the first may wait for a registration.
   */
  send(signal?: AbortSignal): Promise<void> {
    if (this.#sending !== null) return signal === undefined ? this.#sending : untilAborted(this.#sending, signal);
    if (this.#pause !== null && elapsedMs(this.#options.clock, this.#pause.since) < this.#pause.forMs) {
      return Promise.resolve();
    }
    this.#sending = this.#sendAll(signal).finally(() => {
      this.#sending = null;
    });
    return this.#sending;
  }

  /** The service answers after an outage: ends the back-off and sends the results now. */
  serviceAnswers(signal?: AbortSignal): Promise<void> {
    this.#pause = null;
    this.#failures = 0;
    return this.send(signal);
  }

  /** Milliseconds until the next attempt; null when none is due. */
  get againInMs(): number | null {
    const { clock, random } = this.#options;
    if (this.#due().length === 0) return null;
    if (this.#pause !== null) return Math.max(0, this.#pause.forMs - elapsedMs(clock, this.#pause.since));
    return this.#leftBehind === 0 ? null : backoffMs(null, this.#leftBehind, random);
  }

  #due(): Entry[] {
    return this.#options.journal.owed().filter((entry) => (this.#refusals.get(entry) ?? 0) < 2);
  }

  async #sendAll(signal: AbortSignal | undefined): Promise<void> {
    const { journal, link, log, clock, random } = this.#options;
    const tried = new Set<Entry>();
    let batchMax = BATCH_MAX_RESULTS;
    for (;;) {
      // Results that finished meanwhile go with the next batch. No result is tried twice in one run.
      const due = this.#due().filter((entry) => !tried.has(entry));
      const batch = await this.#batchOf(due.slice(0, batchMax));
      if (batch.length === 0) {
        this.#noteLeft(this.#due().length);
        return;
      }
      try {
        await this.#sendBatch(batch, signal);
        for (const { entry } of batch) tried.add(entry);
        this.#options.onProgress?.();
        this.#failures = 0;
        this.#pause = null;
      } catch (error) {
        if (nextStep(error) === "stop") return;
        this.#options.onProgress?.();
        if (nextStep(error) === "split") {
          if (batch.length > 1) batchMax = 1;
          else this.#noteRefusal(batch[0]?.entry, error);
          continue;
        }
        this.#failures++;
        this.#pause = { since: momentOf(clock), forMs: backoffMs(error, this.#failures, random) };
        // One warning per outage. Later attempts are logged as DEBUG.
        log[this.#failures === 1 ? "warning" : "debug"]("results could not be sent: they stay in the journal", {
          results: journal.owed().length,
          error: describeError(error),
          advice: adviceFor(error, link.hasRegistered) ?? undefined,
        });
        return;
      }
    }
  }

  #noteLeft(results: number): void {
    if (results > 0 && this.#leftBehind === 0) {
      this.#options.log.warning(
        "the service could not store results yet: they stay in the journal, and are sent again",
        {
          results,
        },
      );
    }
    this.#leftBehind = results === 0 ? 0 : this.#leftBehind + 1;
  }

  async #sendBatch(batch: { result: JobResult }[], signal: AbortSignal | undefined): Promise<void> {
    const { journal, link, activity, log } = this.#options;
    const results = batch.map(({ result }) => result);
    const { acks } = await link.call((client, session) => client.results(session, results, signal), signal);
    for (const { jobId, lease, ack } of acks) {
      // An ack for an unknown result, or for a lease that was replaced meanwhile, changes nothing.
      const entry = journal.byLease({ jobId, lease });
      if (entry === undefined || entry.finished === null || entry.lease !== lease || ack === "retry") continue;
      await journal.acknowledge({ jobId, lease }, ack);
      activity.acknowledgedResults++;
      if (ack !== "accepted") log.warning(`a result was ${ack} to the service`, { jobId, lease, ack });
      else log.debug("a result was accepted", { jobId });
    }
  }

  async #batchOf(entries: readonly Entry[]): Promise<{ entry: Entry; result: JobResult }[]> {
    const batch: { entry: Entry; result: JobResult }[] = [];
    let bytes = 0;
    for (const entry of entries) {
      const kept = await this.#keptResult(entry);
      const result = this.#refusals.has(entry) ? withoutOutput(kept) : kept;
      bytes += Buffer.byteLength(JSON.stringify(result));
      if (batch.length > 0 && bytes > BATCH_MAX_BYTES) break;
      batch.push({ entry, result });
    }
    return batch;
  }

  /** One unreadable result must not keep the others from being sent. */
  async #keptResult(entry: Entry): Promise<JobResult> {
    const { journal, log, clock } = this.#options;
    try {
      return await journal.resultOf(entry);
    } catch (error) {
      log.error("a result cannot be read from the journal", { jobId: entry.jobId, error: describeError(error) });
      const message =
        "The job ended, but the agent could not read its result from its journal. Check the target system before you run it again.";
      return {
        jobId: entry.jobId,
        lease: entry.lease,
        status: "failed",
        output: null,
        error: { code: "result_lost", message },
        startedAt: new Date(entry.startedAt).toISOString(),
        finishedAt: new Date(clock.now()).toISOString(),
      };
    }
  }

  /**
   * After the first refusal the result is sent without its output. After the second it stays in the journal, so that
   * others can be sent.
   */
  #noteRefusal(entry: Entry | undefined, error: unknown): void {
    if (entry === undefined) return;
    const refusals = (this.#refusals.get(entry) ?? 0) + 1;
    this.#refusals.set(entry, refusals);
    this.#options.log.error(
      refusals === 1
        ? "the service refuses a result: it is sent again without its output"
        : "the service refuses a result even without its output: it is sent again when the agent restarts",
      { jobId: entry.jobId, error: describeError(error) },
    );
  }
}

function withoutOutput(result: JobResult): JobResult {
  const error = result.error ?? {
    code: "output_refused",
    message: "The service refused the output of this job. The agent's log has the reason.",
  };
  return { ...result, output: null, error };
}
