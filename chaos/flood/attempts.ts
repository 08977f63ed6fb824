/** A shorter time between an answer and the next attempt is no pause. */
const PAUSE_MS = 25;

/** Counts how often the same batch is tried in a row, without a pause after an answer. */
export class Attempts {
  /** The longest row of any batch. */
  longest = 0;
  readonly #rows = new Map<string, { length: number; endedAt: number }>();

  began(batch: string, now: number): void {
    const row = this.#rows.get(batch);
    const length = row !== undefined && now - row.endedAt < PAUSE_MS ? row.length + 1 : 1;
    this.#rows.set(batch, { length, endedAt: now });
    this.longest = Math.max(this.longest, length);
  }

  ended(batch: string, now: number): void {
    const row = this.#rows.get(batch);
    if (row !== undefined) row.endedAt = now;
  }
}
