import { WEBHOOK_FAILED_SECRETS_PER_WINDOW, WEBHOOK_WINDOW_MS } from "../../../schema/limits.ts";
import { RateLimit } from "../rate-limit.ts";

const CALLERS_MAX = 10_000;
const RULE = { limit: WEBHOOK_FAILED_SECRETS_PER_WINDOW, windowMs: WEBHOOK_WINDOW_MS };

/**
 * Counts wrong secrets per webhook key and caller address, in the memory of one isolate, to bound the cost of guesses.
 * It counts wrong secrets alone, so no one can shut out a key's owner (docs/design/http-api.md#wrong-secrets).
 */
export class FailedSecrets {
  readonly #callers: RateLimit;

  constructor(callersMax = CALLERS_MAX) {
    this.#callers = new RateLimit(RULE, callersMax);
  }

  /** The seconds to wait when there were too many, without counting; else null. */
  refusal(webhookKey: string, address: string | null, now: number): number | null {
    return this.#callers.refusal(`${webhookKey} ${address ?? ""}`, now);
  }

  /** Counts one wrong secret; returns the seconds to wait when there were too many, else null. */
  note(webhookKey: string, address: string | null, now: number): number | null {
    return this.#callers.enter(`${webhookKey} ${address ?? ""}`, now);
  }
}
