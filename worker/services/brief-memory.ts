/**
 * What an isolate has just found out, for answers that anybody may ask for again and again: within `keepMs` nobody looks
 * again. While one looks, the others get what was known before, as long as that is not older than `staleMs`. They cannot
 * wait for the one that looks: the platform does not let a request wait for what belongs to another.
 */
export class BriefMemory<T> {
  readonly #keepMs: number;
  readonly #staleMs: number;
  #known: { value: T; at: number } | null = null;
  /** When the last look began; null while nobody looks. */
  #lookingSince: number | null = null;

  constructor(options: { keepMs: number; staleMs: number }) {
    this.#keepMs = options.keepMs;
    this.#staleMs = options.staleMs;
  }

  /** `now` is the wall clock's, epoch ms. A look that fails leaves nothing behind. */
  async get(now: () => number, look: () => Promise<T>): Promise<T> {
    const asked = now();
    const known = this.#known;
    // A request that was broken off may have been the one that looked: it does not stand in the way for ever.
    const somebodyLooks = this.#lookingSince !== null && asked - this.#lookingSince < this.#staleMs;
    if (known !== null && asked - known.at < (somebodyLooks ? this.#staleMs : this.#keepMs)) return known.value;
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
