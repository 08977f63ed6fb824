const MINUTE_MS = 60_000;
const KINDS_MAX = 500;

/** Lets `perMinute` lines of each kind into the log, and counts the rest. */
export class LineLimit {
  readonly #perMinute: number;
  #minute = 0;
  #written = new Map<string, number>();
  #left = new Map<string, number>();

  constructor({ perMinute }: { perMinute: number }) {
    this.#perMinute = perMinute;
  }

  /** Null when the line is left out; otherwise the fields to add to it. `now` is epoch ms. */
  admit(kind: string, now: number): { leftOutBefore?: number } | null {
    const minute = Math.floor(now / MINUTE_MS);
    if (minute !== this.#minute) this.#begin(minute);
    const known = this.#written.has(kind) || this.#written.size < KINDS_MAX ? kind : "any other";
    const written = (this.#written.get(known) ?? 0) + 1;
    this.#written.set(known, written);
    if (written > this.#perMinute) return null;
    const leftOutBefore = this.#left.get(known);
    this.#left.delete(known);
    return leftOutBefore === undefined ? {} : { leftOutBefore };
  }

  /** The number of lines left out in the minute that ends is reported with the next line of their kind. */
  #begin(minute: number): void {
    for (const [kind, written] of this.#written) {
      const over = written - this.#perMinute;
      if (over > 0) this.#left.set(kind, (this.#left.get(kind) ?? 0) + over);
    }
    this.#minute = minute;
    this.#written = new Map();
    if (this.#left.size > KINDS_MAX) this.#left = new Map();
  }
}
