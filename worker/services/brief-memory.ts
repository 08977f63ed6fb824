/**
 * Remembers a value that callers may request very often. A value younger than `keepMs` is not looked up again. During a
 * lookup, other requests get the previous value if it is younger than `staleMs`. They cannot wait for the lookup: the
 * platform does not let a request await another request's I/O.
 */
export class BriefMemory<T> {
  readonly #keepMs: number;
  readonly #staleMs: number;
  #known: { value: T; at: number } | null = null;
  /** When the running lookup began; null when none is running. */
  #lookingSince: number | null = null;

  constructor(options: { keepMs: number; staleMs: number }) {
    this.#keepMs = options.keepMs;
    this.#staleMs = options.staleMs;
  }

  /** `now` is the wall clock in epoch ms. A failed lookup changes nothing. */
  async get(now: () => number, look: () => Promise<T>): Promise<T> {
    const asked = now();
    const known = this.#known;
    // The request that runs the lookup may have been aborted, so it blocks new lookups for `staleMs` at most.
    const isWatched = this.#lookingSince !== null && asked - this.#lookingSince < this.#staleMs;
    if (known !== null && asked - known.at < (isWatched ? this.#staleMs : this.#keepMs)) return known.value;
    this.#lookingSince = asked;
    try {
      const value = await look();
      this.#known = { value, at: now() };
      return value;
    } finally {
      this.#lookingSince = null;
    }
  }
}
