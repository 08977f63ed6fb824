import { INTEGRATION_REQUESTS_PER_MINUTE } from "../../../schema/limits.ts";
import { RateLimit } from "../rate-limit.ts";

const KEYS_MAX = 1_000;

/**
 * Requests of each integration within the last minute: it keeps a source that went wild from the database. A delivery
 * that is refused is sent again, and one may hold hundreds of alerts.
 */
export class RequestLimit extends RateLimit {
  constructor() {
    super({ limit: INTEGRATION_REQUESTS_PER_MINUTE, windowMs: 60_000 }, KEYS_MAX);
  }
}
