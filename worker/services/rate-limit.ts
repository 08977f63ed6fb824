import { enterWindow } from "../domain/sliding-window.ts";
import type { WindowRule } from "../domain/sliding-window.ts";

/**
 * Counts requests by their key, in the memory of one isolate: it keeps a caller that went wild from what lies behind,
 * and is no account of anything.
 */
export class RateLimit {
  readonly #rule: WindowRule;
  readonly #keysMax: number;
  /** What was used longest ago stands first. */
  readonly #times = new Map<string, readonly number[]>();

  constructor(rule: WindowRule, keysMax: number) {
    this.#rule = rule;
    this.#keysMax = keysMax;
  }

  /** Lets a request in, or gives the seconds to wait. */
  enter(key: string, now: number): number | null {
    const times = this.#times.get(key) ?? [];
    const entry = enterWindow(times, this.#rule, now);
    this.#times.delete(key);
    this.#times.set(key, entry.allowed ? entry.times : times);
    const [oldest] = this.#times.keys();
    if (oldest !== undefined && this.#times.size > this.#keysMax) this.#times.delete(oldest);
    return entry.allowed ? null : entry.retryAfterSeconds;
  }
}
