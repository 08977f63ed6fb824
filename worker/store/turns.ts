/** The right to do one piece of work. It expires, because the platform drops the work of a cancelled request unannounced. */
export interface Turn {
  readonly startedAt: number;
  until: number;
}

/** A waiter whose request was cancelled never takes its turn. */
const TAKEN_WITHIN_MS = 1_000;
/** How often a waiter looks for expired turns. */
const LOOK_EVERY_MS = 500;

/** Bounds the pieces of work that an isolate does at once. Waiters get their turns in the order of arrival. */
export class Turns {
  readonly #rule: { size(): number; turnMaxMs: number; now(): number };
  readonly #running = new Set<Turn>();
  readonly #waiting = new Set<(turn: Turn) => void>();
  #pausedUntil = 0;

  /** `size`: the most turns at once. `turnMaxMs`: longer than any piece of work takes. */
  constructor(rule: { size(): number; turnMaxMs: number; now(): number }) {
    this.#rule = rule;
  }

  /** Waits for a turn, at most until `giveUpAt` (epoch ms): then null. Every turn must be given back by `leave`. */
  async enter(giveUpAt: number): Promise<Turn | null> {
    const { now, turnMaxMs } = this.#rule;
    let turn: Turn | null = null;
    const { promise, resolve } = Promise.withResolvers<Turn>();
    const take = (given: Turn) => resolve((turn = given));
    this.#waiting.add(take);
    this.#grant();
    while (turn === null && now() < giveUpAt) {
      // A timer of each waiter's own: the platform takes a request that waits for others alone for a hung one.
      turn = await firstOf(promise, Math.max(1, Math.min(LOOK_EVERY_MS, this.#nextLookMs(), giveUpAt - now())));
      if (turn === null) this.#grant();
    }
    this.#waiting.delete(take);
    if (turn !== null) turn.until = now() + turnMaxMs;
    return turn;
  }

  leave(turn: Turn): void {
    this.#running.delete(turn);
    this.#grant();
  }

  /** Gives no turn before this time (epoch ms). */
  pauseUntil(at: number): void {
    this.#pausedUntil = Math.max(this.#pausedUntil, at);
  }

  #grant(): void {
    const { now, size } = this.#rule;
    const at = now();
    if (at < this.#pausedUntil) return;
    for (const turn of this.#running) if (turn.until <= at) this.#running.delete(turn);
    for (const take of this.#waiting) {
      if (this.#running.size >= size()) return;
      const turn = { startedAt: at, until: at + TAKEN_WITHIN_MS };
      this.#running.add(turn);
      this.#waiting.delete(take);
      take(turn);
    }
  }

  #nextLookMs(): number {
    const pauseMs = this.#pausedUntil - this.#rule.now();
    return pauseMs > 0 ? pauseMs : LOOK_EVERY_MS;
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
