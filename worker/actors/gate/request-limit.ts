import { WEBHOOK_REQUESTS_PER_WINDOW, WEBHOOK_WINDOW_MS } from "../../../schema/limits.ts";
import { enterWindow, withinWindow } from "../../domain/sliding-window.ts";
import type { GateInbox } from "./storage.ts";

const RULE = { limit: WEBHOOK_REQUESTS_PER_WINDOW, windowMs: WEBHOOK_WINDOW_MS };

/**
 * The 60 requests a minute of one webhook key, in memory. An acceptance is on disk as an event; a request that counts
 * without being accepted is put there too, so that an object that is evicted does not forget how often its key was used.
 */
export class RequestLimit {
  readonly #inbox: GateInbox;
  /** When requests came that count, oldest first. */
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

  /** The seconds to wait when there is no room; null when there is. */
  refusal(now: number): number | null {
    const entry = enterWindow(this.#times, RULE, now);
    return entry.allowed ? null : entry.retryAfterSeconds;
  }

  /** Takes the room that `refusal` found; `accepted` when an event tells of it on disk. */
  take(now: number, accepted: boolean): void {
    if (!accepted) {
      this.#inbox.insertCounted(now);
      this.#newestCountedAt = now;
    }
    const entry = enterWindow(this.#times, RULE, now);
    if (entry.allowed) this.#times = entry.times;
  }

  /** When the newest request came that counts and is on disk here; null when none is. */
  get newestCountedAt(): number | null {
    return this.#newestCountedAt;
  }

  prune(now: number): void {
    if (this.#newestCountedAt === null) return;
    this.#inbox.deleteCounted(now - WEBHOOK_WINDOW_MS);
    if (this.#newestCountedAt <= now - WEBHOOK_WINDOW_MS) this.#newestCountedAt = null;
  }
}
