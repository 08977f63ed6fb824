import type { Clock } from "./clock.ts";

/**
 * When something that goes round and round was last heard of, by the clock that nobody sets. What knows that it waits
 * says for how long: only silence beyond that counts.
 */
export class Pulse {
  readonly #clock: Pick<Clock, "monotonicMs">;
  #dueAt: number;

  constructor(clock: Pick<Clock, "monotonicMs">) {
    this.#clock = clock;
    this.#dueAt = clock.monotonicMs();
  }

  beat(waitsMs = 0): void {
    this.#dueAt = this.#clock.monotonicMs() + waitsMs;
  }

  /** Milliseconds beyond what it said; 0 while all is well. */
  get silentMs(): number {
    return Math.max(0, this.#clock.monotonicMs() - this.#dueAt);
  }
}
