import { WEBHOOK_FAILED_SECRETS_PER_WINDOW, WEBHOOK_WINDOW_MS } from "../../../schema/limits.ts";
import { enterWindow } from "../../domain/sliding-window.ts";

const CALLERS_MAX = 10_000;
const RULE = { limit: WEBHOOK_FAILED_SECRETS_PER_WINDOW, windowMs: WEBHOOK_WINDOW_MS };

/**
 * Counts wrong secrets per webhook key and caller address, in the memory of one isolate: it only keeps guesses from
 * costing anything, and is asked about wrong secrets alone, so that nobody can shut out a key's owner (design 4).
 */
export class FailedSecrets {
  /** The caller seen longest ago stands first. */
  readonly #callers = new Map<string, readonly number[]>();
  readonly #callersMax: number;

  constructor(callersMax = CALLERS_MAX) {
    this.#callersMax = callersMax;
  }

  /** Notes one wrong secret; the seconds to wait when there were too many, else null. */
  note(webhookKey: string, address: string | null, now: number): number | null {
    const caller = `${webhookKey} ${address ?? ""}`;
    const times = this.#callers.get(caller) ?? [];
    const entry = enterWindow(times, RULE, now);
    this.#callers.delete(caller);
    this.#callers.set(caller, entry.allowed ? entry.times : times);
    const [oldest] = this.#callers.keys();
    if (oldest !== undefined && this.#callers.size > this.#callersMax) this.#callers.delete(oldest);
    return entry.allowed ? null : entry.retryAfterSeconds;
  }
}
