const WINDOW_MS = 60_000;
const READS_MAX = 3;

/**
 * Reads that follow changes: at once, but at most three in a minute, however often changes come. A read that has to wait
 * covers all changes until then.
 */
export class PacedReads {
  readonly #read: () => void;
  readonly #now: () => number;
  #last: number[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(read: () => void, now: () => number = Date.now) {
    this.#read = read;
    this.#now = now;
  }

  /** Something has changed. */
  request(): void {
    const now = this.#now();
    const first = this.#last.length < READS_MAX ? undefined : this.#last[0];
    this.#timer ??= setTimeout(() => this.#perform(), first === undefined ? 0 : Math.max(0, first + WINDOW_MS - now));
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #perform(): void {
    this.#timer = undefined;
    this.#last = [...this.#last, this.#now()].slice(-READS_MAX);
    this.#read();
  }
}
