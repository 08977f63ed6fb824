/** A request that may be sent. It expires, because the platform drops the work of a cancelled request unannounced. */
export interface Turn {
  readonly startedAt: number;
  until: number;
}

/** What the database made of a request: `full` when it had room for nothing in it, `partlyFull` for a part of it. */
export type Verdict = "accepted" | "partlyFull" | "full";

const WINDOW_FIRST = 4;
const WINDOW_MAX = 8;
/** Halved and doubled from here, in ms. */
const PAUSE_FIRST_MS = 25;
const PAUSE_MAX_MS = 2_000;
/** Longer than any request to the database takes. */
const TURN_MAX_MS = 20_000;
/** A waiter whose request was cancelled never takes its turn. */
const TAKEN_WITHIN_MS = 1_000;
/** How often a waiter looks for expired turns. */
const LOOK_EVERY_MS = 500;
const ADMITTED_MAX = 1_000;
/** Writes that are safe elsewhere leave room for the others. */
const DEFERRABLE_MAX = 500;

/**
 * Bounds the requests with writes that an isolate sends at once, and adapts the bound to the database: halved when the
 * database has no room, slowly raised while it has. When one request at a time is still too much, the requests pause,
 * so that many isolates together find the rate that the database bears (docs/design/dispatch.md#writes). Those who
 * wait get their turns in the order of arrival.
 */
export class WriteLimiter {
  readonly #now: () => number;
  readonly #random: () => number;
  readonly #running = new Set<Turn>();
  readonly #waiting = new Set<(turn: Turn) => void>();
  /** Writes that wait or run, and until when (epoch ms). */
  readonly #admitted = new Map<object, number>();
  #window = WINDOW_FIRST;
  #pauseMs = 0;
  #pausedUntil = 0;
  #loweredAt = -1;

  constructor({ now = Date.now, random = Math.random }: { now?: () => number; random?: () => number } = {}) {
    this.#now = now;
    this.#random = random;
  }

  /** The most requests at once, at present. */
  get window(): number {
    return Math.floor(this.#window);
  }

  /** Counts a write until it is `dismiss`ed or its time is over; false when too many wait. */
  admit(write: object, until: number, isDeferrable: boolean): boolean {
    const max = isDeferrable ? DEFERRABLE_MAX : ADMITTED_MAX;
    if (this.#admitted.size >= max) this.#forgetLate();
    if (this.#admitted.size >= max) return false;
    this.#admitted.set(write, until);
    return true;
  }

  dismiss(write: object): void {
    this.#admitted.delete(write);
  }

  /** Waits for a turn, at most until `giveUpAt` (epoch ms): then null. Every turn must be given back by `leave`. */
  async enter(giveUpAt: number): Promise<Turn | null> {
    const { promise, resolve } = Promise.withResolvers<Turn>();
    this.#waiting.add(resolve);
    this.#grant();
    let turn: Turn | null = null;
    while (turn === null && this.#now() < giveUpAt) {
      // A timer of each waiter's own: the platform takes a request that waits for others alone for a hung one.
      turn = await firstOf(promise, Math.max(1, Math.min(LOOK_EVERY_MS, this.#nextLookMs(), giveUpAt - this.#now())));
      if (turn === null) this.#grant();
    }
    this.#waiting.delete(resolve);
    if (turn !== null) turn.until = this.#now() + TURN_MAX_MS;
    return turn;
  }

  leave(turn: Turn, verdict: Verdict): void {
    this.#running.delete(turn);
    if (verdict === "accepted") this.#raise();
    else this.#lower(turn, verdict);
    this.#grant();
  }

  #raise(): void {
    this.#window = Math.min(WINDOW_MAX, this.#window + 1 / this.#window);
    this.#pauseMs = this.#pauseMs <= PAUSE_FIRST_MS ? 0 : this.#pauseMs / 2;
  }

  /** Requests that were sent before the last change say nothing about it. */
  #lower(turn: Turn, verdict: Verdict): void {
    const now = this.#now();
    if (turn.startedAt > this.#loweredAt) {
      const isAlone = this.#window < 2;
      this.#window = Math.max(1, this.#window / 2);
      this.#pauseMs = Math.max(PAUSE_FIRST_MS, verdict === "full" && isAlone ? this.#pauseMs * 2 : this.#pauseMs);
      this.#pauseMs = Math.min(PAUSE_MAX_MS, this.#pauseMs);
      this.#loweredAt = now;
    }
    // Spread, so that isolates that failed together do not return together.
    this.#pausedUntil = Math.max(this.#pausedUntil, now + this.#pauseMs * (0.5 + this.#random()));
  }

  #grant(): void {
    const now = this.#now();
    if (now < this.#pausedUntil) return;
    for (const turn of this.#running) if (turn.until <= now) this.#running.delete(turn);
    for (const take of this.#waiting) {
      if (this.#running.size >= this.window) return;
      const turn = { startedAt: now, until: now + TAKEN_WITHIN_MS };
      this.#running.add(turn);
      this.#waiting.delete(take);
      take(turn);
    }
  }

  #nextLookMs(): number {
    const pauseMs = this.#pausedUntil - this.#now();
    return pauseMs > 0 ? pauseMs : LOOK_EVERY_MS;
  }

  #forgetLate(): void {
    const now = this.#now();
    for (const [write, until] of this.#admitted) if (until <= now) this.#admitted.delete(write);
  }
}

/** What the promise gives, or null after `ms`. */
async function firstOf<T>(promise: Promise<T>, ms: number): Promise<T | null> {
  const late = Promise.withResolvers<null>();
  const timer = setTimeout(late.resolve, ms, null);
  try {
    return await Promise.race([promise, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
