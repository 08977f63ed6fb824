import { INTEGRATION_REQUESTS_PER_MINUTE } from "../../../schema/limits.ts";
import { RateLimit } from "../rate-limit.ts";

const KEYS_MAX = 1_000;

/**
 * Requests of each integration within the last minute: it protects the database from a runaway source. The source sends
 * a refused delivery again, and one delivery may hold hundreds of alerts.
 */
export class RequestLimit extends RateLimit {
  constructor() {
    super({ limit: INTEGRATION_REQUESTS_PER_MINUTE, windowMs: 60_000 }, KEYS_MAX);
  }
}
