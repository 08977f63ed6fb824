import { INTEGRATION_REQUESTS_PER_MINUTE } from "../../../schema/limits.ts";
import { enterWindow } from "../../domain/sliding-window.ts";

const KEYS_MAX = 1_000;
const RULE = { limit: INTEGRATION_REQUESTS_PER_MINUTE, windowMs: 60_000 };

/**
 * Requests of each integration within the last minute, in the memory of one isolate: it keeps a source that went wild
 * from the database. A delivery that is refused is sent again, and one may hold hundreds of alerts.
 */
export class RequestLimit {
  /** What was used longest ago stands first. */
  readonly #times = new Map<string, readonly number[]>();

  /** Lets a request in, or gives the seconds to wait. */
  enter(keyPrefix: string, now: number): number | null {
    const times = this.#times.get(keyPrefix) ?? [];
    const entry = enterWindow(times, RULE, now);
    this.#times.delete(keyPrefix);
    this.#times.set(keyPrefix, entry.allowed ? entry.times : times);
    const [oldest] = this.#times.keys();
    if (oldest !== undefined && this.#times.size > KEYS_MAX) this.#times.delete(oldest);
    return entry.allowed ? null : entry.retryAfterSeconds;
  }
}
