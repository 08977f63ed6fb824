import type { Clock } from "./clock.ts";

/**
 * The last sign of life of a loop, by the monotonic clock. A loop that waits announces how long; only silence beyond
 * that counts.
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

  /** Milliseconds of silence beyond the announced wait; 0 while all is well. */
  get silentMs(): number {
    return Math.max(0, this.#clock.monotonicMs() - this.#dueAt);
  }
}
