import { BoundedMap } from "../domain/bounded-map.ts";
import { enterWindow } from "../domain/sliding-window.ts";
import type { WindowRule } from "../domain/sliding-window.ts";

/**
 * Counts requests by key in the memory of one isolate. It protects the service from a runaway caller, and is not an
 * exact count.
 */
export class RateLimit {
  readonly #rule: WindowRule;
  readonly #times: BoundedMap<string, readonly number[]>;

  constructor(rule: WindowRule, keysMax: number) {
    this.#rule = rule;
    this.#times = new BoundedMap(keysMax);
  }

  /** The seconds to wait, without counting; null when there is room. */
  refusal(key: string, now: number): number | null {
    const entry = enterWindow(this.#times.get(key) ?? [], this.#rule, now);
    return entry.allowed ? null : entry.retryAfterSeconds;
  }

  /** Lets a request in, or gives the seconds to wait. */
  enter(key: string, now: number): number | null {
    const times = this.#times.get(key) ?? [];
    const entry = enterWindow(times, this.#rule, now);
    this.#times.set(key, entry.allowed ? entry.times : times);
    return entry.allowed ? null : entry.retryAfterSeconds;
  }
}
