import { ProblemError } from "../problem.ts";

/** Each takes about 0.2 s of the isolate, so the last one waits about three seconds. */
const AT_ONCE_MAX = 16;
/** A comparison that has not ended by then never will: its request was aborted. */
const LASTS_MAX_MS = 10_000;

/**
 * Bounds the concurrent password comparisons of one isolate. When callers have no address, no other limit stops
 * attempts on made-up accounts, and a flood of them would delay everyone else's sign-in.
 */
export class Comparisons {
  /** When each began, epoch ms. */
  readonly #begunAt = new Map<symbol, number>();

  /** Throws `unavailable` when there are too many. */
  async run<T>(now: number, compare: () => Promise<T>): Promise<T> {
    for (const [other, begunAt] of this.#begunAt) {
      if (begunAt <= now - LASTS_MAX_MS) this.#begunAt.delete(other);
    }
    if (this.#begunAt.size >= AT_ONCE_MAX) {
      throw tooManyAtOnce();
    }
    const comparison = Symbol("comparison");
    this.#begunAt.set(comparison, now);
    try {
      return await compare();
    } finally {
      this.#begunAt.delete(comparison);
    }
  }
}

export function tooManyAtOnce(): ProblemError {
  return new ProblemError("unavailable", "Too many people are signing in at this moment. Try again in a moment.", {
    headers: { "Retry-After": "1" },
  });
}
