/** The right to do one piece of work. It expires, because the platform drops the work of a cancelled request unannounced. */
export interface Turn {
  readonly startedAt: number;
  until: number;
}

/** A waiter whose request was cancelled never takes its turn, and is not seen again. */
const TAKEN_WITHIN_MS = 1_000;
/** How often a waiter looks for expired turns, and shows that it still waits. */
const LOOK_EVERY_MS = 500;

interface Waiter {
  /** Epoch ms. */
  readonly giveUpAt: number;
  seenAt: number;
  turn: Turn | null;
  taken: PromiseWithResolvers<void>;
}

/** Bounds the pieces of work that an isolate does at once. Waiters get their turns in the order of arrival. */
export class Turns {
  readonly #rule: { size(): number; turnMaxMs: number; now(): number };
  readonly #running = new Set<Turn>();
  readonly #waiting = new Set<Waiter>();
  #pausedUntil = 0;

  /** `size`: the most turns at once. `turnMaxMs`: longer than any piece of work takes. */
  constructor(rule: { size(): number; turnMaxMs: number; now(): number }) {
    this.#rule = rule;
  }

  /** Waits for a turn, at most until `giveUpAt` (epoch ms): then null. Every turn must be given back by `leave`. */
  async enter(giveUpAt: number): Promise<Turn | null> {
    const { now, turnMaxMs } = this.#rule;
    const waiter: Waiter = { giveUpAt, seenAt: now(), turn: null, taken: Promise.withResolvers<void>() };
    this.#waiting.add(waiter);
    this.#grant();
    while (waiter.turn === null && now() < giveUpAt) {
      // A timer of each waiter's own: the platform takes a request that waits for others alone for a hung one.
      await waitAtMost(Math.max(1, Math.min(LOOK_EVERY_MS, giveUpAt - now())), waiter.taken.promise);
      waiter.seenAt = now();
      if (waiter.turn === null) this.#grant();
    }
    this.#waiting.delete(waiter);
    const { turn } = waiter;
    if (turn === null) return null;
    turn.until = now() + turnMaxMs;
    // It may have expired before it was taken.
    this.#running.add(turn);
    return turn;
  }

  leave(turn: Turn): void {
    this.#running.delete(turn);
    this.#grant();
  }

  /** Gives no turn before this time (epoch ms). */
  pauseUntil(at: number): void {
    this.#pausedUntil = Math.max(this.#pausedUntil, at);
    // Those that already wait would look too late.
    setTimeout(() => this.#grant(), Math.ceil(at - this.#rule.now()) + 1);
  }

  #grant(): void {
    const { now, size } = this.#rule;
    const at = now();
    if (at < this.#pausedUntil) return;
    for (const turn of this.#running) if (turn.until <= at) this.#running.delete(turn);
    for (const waiter of this.#waiting) {
      if (this.#running.size >= size()) return;
      if (at > waiter.giveUpAt + TAKEN_WITHIN_MS) this.#waiting.delete(waiter);
      // Its request was cancelled. Or the isolate did not run: then it shows up soon, in its old place.
      if (at - waiter.seenAt > TAKEN_WITHIN_MS) continue;
      this.#waiting.delete(waiter);
      waiter.turn = { startedAt: at, until: at + TAKEN_WITHIN_MS };
      this.#running.add(waiter.turn);
      waiter.taken.resolve();
    }
  }
}

async function waitAtMost(ms: number, promise: Promise<void>): Promise<void> {
  const late = Promise.withResolvers<void>();
  const timer = setTimeout(late.resolve, ms);
  try {
    await Promise.race([promise, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
