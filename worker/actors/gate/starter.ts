import type { ExecutionStatus } from "../../../schema/contract/execution.ts";
import { earliest } from "../kit/earliest.ts";
import { withTimeout } from "../kit/with-timeout.ts";
import { startRetryDelayMs } from "./next-alarm.ts";
import { logWarning } from "../../services/log.ts";
import type { InboxEvent } from "./storage.ts";

export interface StarterDeps {
  /** Starts the event's execution, or says how it stands; rejects when it may be tried again. Idempotent. */
  start(event: InboxEvent): Promise<ExecutionStatus>;
  started(event: InboxEvent, status: ExecutionStatus): void;
  /** Called when a start has ended, however it did: when to come back may have changed. */
  settled(): void;
  now(): number;
  random(): number;
}

const AT_ONCE = 6;
/** So many failures in a row mean that nothing can be started now, rather than that one event is bad. */
const FAILURES_IN_A_ROW = 6;
/** A start that hangs gives its place to another; it is told again later, which does no harm. */
const START_TIMEOUT_MS = 30_000;

/**
 * Starts accepted events in the order of their acceptance, a few at once, and keeps at it for ever: what cannot be
 * started stays pending. When nothing can be started it pauses as a whole, so that the order holds once it goes on.
 * An event that fails while others succeed waits by itself and does not hold them up.
 */
export class Starter {
  readonly #deps: StarterDeps;
  /** By `seq`, in order of acceptance. */
  readonly #pending = new Map<number, InboxEvent>();
  readonly #underWay = new Set<number>();
  /** Failed since the last success: whose fault it was is not known yet. */
  readonly #failed = new Set<number>();
  /** Failed while others succeeded. */
  readonly #delayed = new Map<number, { failures: number; until: number }>();
  /** When what failed is tried again. */
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

  /** The event needs no start any more. */
  remove(seq: number): void {
    this.#pending.delete(seq);
    this.#failed.delete(seq);
    this.#delayed.delete(seq);
  }

  get pendingCount(): number {
    return this.#pending.size;
  }

  /** When to call `run` again after failures; null while nothing waits for that. */
  get retryAt(): number | null {
    if (this.#pausedUntil !== null) return this.#pausedUntil;
    return earliest([...this.#delayed.values()].map(({ until }) => until));
  }

  /** Starts what can be started now. Resolves when nothing is under way any more. */
  run(): Promise<void> {
    const probe = this.#resume();
    if (probe !== null) this.#launch(probe);
    this.#fill();
    if (this.#underWay.size === 0) return Promise.resolve();
    this.#idle ??= Promise.withResolvers<void>();
    return this.#idle.promise;
  }

  /**
   * Ends a pause that is over. The newest event then goes first, beside the oldest: if it succeeds while the oldest
   * fail again, these are to blame and no longer hold up the rest.
   */
  #resume(): InboxEvent | null {
    if (this.#pausedUntil === null || this.#deps.now() < this.#pausedUntil) return null;
    this.#pausedUntil = null;
    this.#failed.clear();
    if (this.#pending.size <= AT_ONCE) return null;
    const newest = [...this.#pending.values()].at(-1);
    return newest === undefined || this.#underWay.has(newest.seq) ? null : newest;
  }

  #fill(): void {
    while (!this.#nothingStarts && this.#underWay.size < AT_ONCE) {
      const event = this.#next();
      if (event === null) return;
      this.#launch(event);
    }
  }

  /** Until then, an event that comes new is tried at once: a few that fail must not make it wait. */
  get #nothingStarts(): boolean {
    return this.#pausedUntil !== null && this.#failed.size >= FAILURES_IN_A_ROW;
  }

  #next(): InboxEvent | null {
    const now = this.#deps.now();
    for (const event of this.#pending.values()) {
      if (this.#underWay.has(event.seq) || this.#failed.has(event.seq)) continue;
      if ((this.#delayed.get(event.seq)?.until ?? now) <= now) return event;
    }
    return null;
  }

  #launch(event: InboxEvent): void {
    this.#underWay.add(event.seq);
    void withTimeout(START_TIMEOUT_MS, "starting an execution", this.#deps.start(event)).then(
      (status) => this.#settle(event, () => this.#succeeded(event, status)),
      (error: unknown) => this.#settle(event, () => this.#failedAgain(event, error)),
    );
  }

  #settle(event: InboxEvent, note: () => void): void {
    this.#underWay.delete(event.seq);
    try {
      note();
    } catch (error) {
      // Its own storage refused a write. That an event was started is found out again by starting it again.
      logWarning("that an event was started could not be saved", { error: String(error) });
    }
    this.#fill();
    if (this.#underWay.size === 0 && this.#failed.size > 0) this.#pause();
    this.#deps.settled();
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
    // It may have ended, and so been removed, while the answer to its start was lost.
    if (!this.#pending.has(event.seq)) return;
    this.#failed.add(event.seq);
    if (this.#failed.size >= FAILURES_IN_A_ROW) this.#pause();
  }

  #pause(): void {
    if (this.#pausedUntil !== null) return;
    this.#pauses += 1;
    this.#pausedUntil = this.#deps.now() + startRetryDelayMs(this.#pauses, this.#deps.random());
    logWarning("accepted events cannot be started; they are tried again", {
      pending: this.#pending.size,
      error: this.#lastError,
    });
  }

  #delayFailed(): void {
    for (const seq of this.#failed) {
      const failures = (this.#delayed.get(seq)?.failures ?? 0) + 1;
      const until = this.#deps.now() + startRetryDelayMs(failures, this.#deps.random());
      this.#delayed.set(seq, { failures, until });
    }
    logWarning("some accepted events cannot be started; they are tried again", {
      events: this.#failed.size,
      error: this.#lastError,
    });
    this.#failed.clear();
  }
}
