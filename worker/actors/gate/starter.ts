import type { ExecutionStatus } from "../../../schema/contract/execution.ts";
import { earliest } from "../kit/earliest.ts";
import { isRetryDue, startRetryDelayMs } from "./next-alarm.ts";
import { LineLimit } from "../../services/line-limit.ts";
import { logWarning } from "../../services/log.ts";
import type { LogFields } from "../../services/log.ts";
import type { InboxEvent } from "./storage.ts";

export interface StarterDeps {
  /**
   * Starts the event's execution, or gives the status of one already started. Rejects when the start may be tried
   * again, also after a time limit. Idempotent.
   */
  start(event: InboxEvent): Promise<ExecutionStatus>;
  started(event: InboxEvent, status: ExecutionStatus): void;
  /** Called after every start, failed or not: `retryAt` may have changed. */
  attemptEnded(): void;
  now(): number;
  random(): number;
}

/** As many as go together in one call. */
const AT_ONCE = 16;
/** This many failures in a row mean that no start can succeed now, rather than that one event is bad. */
const FAILURES_IN_A_ROW = 6;
/** One for the isolate: a database that is gone makes every gate try again and again. */
const warnings = new LineLimit({ perMinute: 10 });

/**
 * Starts accepted events in the order of acceptance, a few at a time, and never gives up on one. When no start
 * succeeds, the starter pauses as a whole, so that the order is kept afterwards. An event that fails while others
 * succeed is delayed alone.
 */
export class Starter {
  readonly #deps: StarterDeps;
  /** By `seq`, in order of acceptance. */
  readonly #pending = new Map<number, InboxEvent>();
  readonly #underWay = new Set<number>();
  /** Failed since the last success, so either the event or the service may be at fault. */
  readonly #failed = new Set<number>();
  /** Failed while others succeeded. */
  readonly #delayed = new Map<number, { failures: number; until: number }>();
  /** When the failed events are tried again. */
  #pausedUntil: number | null = null;
  #pauses = 0;
  #lastError: string | null = null;
  #idle: PromiseWithResolvers<void> | null = null;

  constructor(deps: StarterDeps) {
    this.#deps = deps;
  }

  add(event: InboxEvent): void {
    this.#pending.set(event.seq, event);
  }

  /** For an event that no longer needs a start. */
  remove(seq: number): void {
    this.#pending.delete(seq);
    this.#failed.delete(seq);
    this.#delayed.delete(seq);
  }

  get pendingCount(): number {
    return this.#pending.size;
  }

  /** When to call `run` again after failures (epoch ms); null when there is no reason to. */
  get retryAt(): number | null {
    if (this.#pausedUntil !== null) return this.#pausedUntil;
    return earliest([...this.#delayed.values()].map(({ until }) => until));
  }

  /** Starts the events that can start now. Resolves when no start is in flight. */
  run(): Promise<void> {
    const probe = this.#resume();
    if (probe !== null) this.#launch(probe);
    this.#fill();
    if (this.#underWay.size === 0) return Promise.resolve();
    this.#idle ??= Promise.withResolvers<void>();
    return this.#idle.promise;
  }

  /**
   * Ends a pause that is over. The newest event is then tried together with the oldest ones. When the newest succeeds
   * and the oldest fail again, the oldest are bad, and no longer hold up the others.
   */
  #resume(): InboxEvent | null {
    if (this.#pausedUntil === null || !isRetryDue(this.#pausedUntil, this.#deps.now())) return null;
    this.#pausedUntil = null;
    this.#failed.clear();
    if (this.#pending.size <= AT_ONCE) return null;
    const newest = [...this.#pending.values()].at(-1);
    return newest === undefined || this.#underWay.has(newest.seq) ? null : newest;
  }

  #fill(): void {
    while (!this.#nothingStarts && this.#hasRoom) {
      const event = this.#next();
      if (event === null) return;
      this.#launch(event);
    }
  }

  /** After a pause, only as many are tried as show whether starts succeed again. */
  get #hasRoom(): boolean {
    if (this.#pauses === 0) return this.#underWay.size < AT_ONCE;
    return this.#underWay.size + this.#failed.size < FAILURES_IN_A_ROW;
  }

  /** With fewer failures than that, a pause does not delay new events. */
  get #nothingStarts(): boolean {
    return this.#pausedUntil !== null && this.#failed.size >= FAILURES_IN_A_ROW;
  }

  #next(): InboxEvent | null {
    const now = this.#deps.now();
    for (const event of this.#pending.values()) {
      if (this.#underWay.has(event.seq) || this.#failed.has(event.seq)) continue;
      if (isRetryDue(this.#delayed.get(event.seq)?.until ?? now, now)) return event;
    }
    return null;
  }

  #launch(event: InboxEvent): void {
    this.#underWay.add(event.seq);
    void this.#deps.start(event).then(
      (status) => this.#afterAttempt(event, () => this.#succeeded(event, status)),
      (error: unknown) => this.#afterAttempt(event, () => this.#failedAgain(event, error)),
    );
  }

  #afterAttempt(event: InboxEvent, note: () => void): void {
    this.#underWay.delete(event.seq);
    try {
      note();
    } catch (error) {
      // The gate's own storage refused a write. A repeated start will report the same status.
      logWarning("the start of an event could not be saved", { error: String(error) });
    }
    this.#fill();
    if (this.#underWay.size === 0 && this.#failed.size > 0) this.#pause();
    this.#deps.attemptEnded();
    if (this.#underWay.size > 0) return;
    this.#idle?.resolve();
    this.#idle = null;
  }

  #succeeded(event: InboxEvent, status: ExecutionStatus): void {
    this.remove(event.seq);
    this.#pauses = 0;
    this.#pausedUntil = null;
    if (this.#failed.size > 0) this.#delayFailed();
    this.#deps.started(event, status);
  }

  #failedAgain(event: InboxEvent, error: unknown): void {
    this.#lastError = String(error);
    // The execution may have ended, and the event been removed, while the answer to the start was lost.
    if (!this.#pending.has(event.seq)) return;
    this.#failed.add(event.seq);
    if (this.#failed.size >= FAILURES_IN_A_ROW) this.#pause();
  }

  #pause(): void {
    if (this.#pausedUntil !== null) return;
    this.#pauses += 1;
    this.#pausedUntil = this.#deps.now() + startRetryDelayMs(this.#pauses, this.#deps.random());
    this.#warn("accepted events cannot be started; they are tried again", { pending: this.#pending.size });
  }

  #delayFailed(): void {
    for (const seq of this.#failed) {
      const failures = (this.#delayed.get(seq)?.failures ?? 0) + 1;
      const until = this.#deps.now() + startRetryDelayMs(failures, this.#deps.random());
      this.#delayed.set(seq, { failures, until });
    }
    this.#warn("some accepted events cannot be started; they are tried again", { events: this.#failed.size });
    this.#failed.clear();
  }

  #warn(message: string, fields: LogFields): void {
    const limited = warnings.admit(message, this.#deps.now());
    if (limited !== null) logWarning(message, { ...fields, error: this.#lastError, ...limited });
  }
}
