import { WEBHOOK_REQUESTS_PER_WINDOW, WEBHOOK_WINDOW_MS } from "../../../schema/limits.ts";
import { enterWindow, withinWindow } from "../../domain/sliding-window.ts";
import type { GateInbox } from "./storage.ts";

const ruleOf = (perMinute: number | null) => ({
  limit: perMinute ?? WEBHOOK_REQUESTS_PER_WINDOW,
  windowMs: WEBHOOK_WINDOW_MS,
});

/**
 * The limit of requests a minute for one webhook key, in memory. Accepted requests are on disk as events. Other
 * requests that count are stored too, so that an evicted object keeps its count.
 */
export class RequestLimit {
  readonly #inbox: GateInbox;
  /** The times of the requests that count, oldest first. */
  #times: readonly number[] = [];
  #newestCountedAt: number | null = null;

  constructor(inbox: GateInbox) {
    this.#inbox = inbox;
  }

  load(acceptedAt: readonly number[], now: number): void {
    const counted = this.#inbox.loadCounted(now - WEBHOOK_WINDOW_MS);
    this.#newestCountedAt = counted.at(-1) ?? null;
    const times = [...acceptedAt, ...counted].sort((a, b) => a - b);
    this.#times = withinWindow(times, WEBHOOK_WINDOW_MS, now);
  }

  /** Seconds to wait when the limit is reached; null when the request may pass. */
  refusal(now: number, perMinute: number | null): number | null {
    const entry = enterWindow(this.#times, ruleOf(perMinute), now);
    return entry.allowed ? null : entry.retryAfterSeconds;
  }

  /** Counts a request that `refusal` let pass. `accepted`: its event is on disk and carries the time. */
  take(now: number, accepted: boolean): void {
    if (!accepted) {
      this.#inbox.insertCounted(now);
      this.#newestCountedAt = now;
    }
    this.#times = [...withinWindow(this.#times, WEBHOOK_WINDOW_MS, now), now];
  }

  /** The time of the newest stored request that counted without being accepted; null without one. */
  get newestCountedAt(): number | null {
    return this.#newestCountedAt;
  }

  prune(now: number): void {
    if (this.#newestCountedAt === null) return;
    this.#inbox.deleteCounted(now - WEBHOOK_WINDOW_MS);
    if (this.#newestCountedAt <= now - WEBHOOK_WINDOW_MS) this.#newestCountedAt = null;
  }
}
