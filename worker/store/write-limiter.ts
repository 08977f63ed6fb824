import { Turns } from "./turns.ts";
import type { Turn } from "./turns.ts";

/** What the database made of a request: `full` when it had room for nothing in it, `partlyFull` for a part of it. */
export type Verdict = "accepted" | "partlyFull" | "full";

export interface SentRequest {
  verdict: Verdict;
  /** How many writes it had. */
  writes: number;
  /** Whether each of them changed a row: only these are compared in time. */
  areCommits: boolean;
}

/** One request alone shows how fast the database is without contention. */
const WINDOW_FIRST = 1;
const WINDOW_MAX = 4;
/** A request that takes this many times as long as the fastest one of its size waits for others in the database. */
const SLOW_FACTOR = 3;
/** A busy isolate reads the answers late: up to here, a request says nothing about the database. */
const SLOW_MIN_MS = 100;
/** With each request the fastest one counts for less, so that a database that became slower is not slow for ever. */
const FASTEST_FADES = 1.05;
/** Halved and doubled from here, in ms. */
const PAUSE_FIRST_MS = 25;
const PAUSE_MAX_MS = 2_000;
/** Longer than any request to the database takes. */
const REQUEST_MAX_MS = 20_000;
const ADMITTED_MAX = 1_000;

/**
 * Bounds the requests with writes that an isolate sends at once, and adapts the bound to the database: halved when the
 * database has no room, lowered when requests wait there for each other, and raised otherwise. sqld writes most with
 * one writer, and hangs with many. When one request at a time is still too much, the requests pause, so that many
 * isolates together find the rate that the database bears (docs/design/dispatch.md#writes).
 */
export class WriteLimiter {
  readonly #now: () => number;
  readonly #random: () => number;
  readonly #turns: Turns;
  /** Writes that wait or run, and until when (epoch ms). */
  readonly #admitted = new Map<object, number>();
  #window = WINDOW_FIRST;
  #pauseMs = 0;
  #loweredAt = -1;
  /** Whether the database has not been too slow yet: the bound rises fast until then. */
  #isFirstRise = true;
  /** One slow request may be a large one. */
  #slowInARow = 0;
  /** The time of the fastest recent request (ms), by the number of bits in its number of writes. */
  readonly #fastest = new Map<number, number>();

  constructor({ now = Date.now, random = Math.random }: { now?: () => number; random?: () => number } = {}) {
    this.#now = now;
    this.#random = random;
    this.#turns = new Turns({ size: () => this.window, turnMaxMs: REQUEST_MAX_MS, now });
  }

  /** The most requests at once, at present. */
  get window(): number {
    return Math.floor(this.#window);
  }

  /** Counts a write until it is `dismiss`ed or its time is over; false when too many wait. */
  admit(write: object, until: number): boolean {
    if (this.#admitted.size >= ADMITTED_MAX) this.#forgetLate();
    if (this.#admitted.size >= ADMITTED_MAX) return false;
    this.#admitted.set(write, until);
    return true;
  }

  dismiss(write: object): void {
    this.#admitted.delete(write);
  }

  /** See `Turns`. */
  enter(giveUpAt: number): Promise<Turn | null> {
    return this.#turns.enter(giveUpAt);
  }

  leave(turn: Turn, sent: SentRequest): void {
    if (sent.verdict !== "accepted") this.#lower(turn, sent.verdict);
    else if (sent.areCommits) this.#compare(turn, sent.writes);
    this.#turns.leave(turn);
  }

  #compare(turn: Turn, writes: number): void {
    const tookMs = this.#now() - turn.startedAt;
    const size = 32 - Math.clz32(writes);
    const fastestMs = this.#fastest.get(size) ?? Infinity;
    this.#fastest.set(size, Math.min(Math.max(1, tookMs), fastestMs * FASTEST_FADES));
    const isSlow = tookMs > Math.max(SLOW_MIN_MS, SLOW_FACTOR * fastestMs);
    this.#slowInARow = isSlow ? this.#slowInARow + 1 : 0;
    if (!isSlow) this.#raise();
    else if (this.#slowInARow > 1) this.#yield(turn);
  }

  #raise(): void {
    const step = this.#isFirstRise ? 1 : 1 / this.#window;
    this.#window = Math.min(WINDOW_MAX, this.#window + step);
    this.#pauseMs = this.#pauseMs <= PAUSE_FIRST_MS ? 0 : this.#pauseMs / 2;
  }

  /** Sends one request less at once; the last one pauses for as long as it took. */
  #yield(turn: Turn): void {
    const now = this.#now();
    this.#isFirstRise = false;
    if (turn.startedAt <= this.#loweredAt) return;
    if (this.#window < 2) {
      const pauseMs = Math.min(PAUSE_MAX_MS, now - turn.startedAt);
      this.#turns.pauseUntil(now + pauseMs * (0.5 + this.#random()));
    }
    this.#window = Math.max(1, this.#window - 1);
    this.#loweredAt = now;
  }

  /** Requests that were sent before the last change say nothing about it. */
  #lower(turn: Turn, verdict: Verdict): void {
    const now = this.#now();
    this.#isFirstRise = false;
    if (turn.startedAt > this.#loweredAt) {
      const isAlone = this.#window < 2;
      this.#window = Math.max(1, this.#window / 2);
      this.#pauseMs = Math.max(PAUSE_FIRST_MS, verdict === "full" && isAlone ? this.#pauseMs * 2 : this.#pauseMs);
      this.#pauseMs = Math.min(PAUSE_MAX_MS, this.#pauseMs);
      this.#loweredAt = now;
    }
    // Spread, so that isolates that failed together do not return together.
    this.#turns.pauseUntil(now + this.#pauseMs * (0.5 + this.#random()));
  }

  #forgetLate(): void {
    const now = this.#now();
    for (const [write, until] of this.#admitted) if (until <= now) this.#admitted.delete(write);
  }
}
