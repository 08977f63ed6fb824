import { WEBHOOK_IDEMPOTENCY_WINDOW_MS } from "../../schema/limits.ts";

/**
 * What makes two webhook requests the same event (docs/design/http-api.md#deduplication). An explicit key has a
 * namespace of its own and replaces the payload's digest: it can never meet one.
 */
export function explicitDedupeKey(idempotencyKey: string): string {
  return `k:${idempotencyKey}`;
}

export function payloadDedupeKey(payloadDigest: string): string {
  return `h:${payloadDigest}`;
}

/**
 * A window starts at the first acceptance, and a duplicate does not prolong it (docs/design/http-api.md#deduplication).
 */
export function isWithinDedupeWindow(acceptedAt: number, now: number): boolean {
  return now < acceptedAt + WEBHOOK_IDEMPOTENCY_WINDOW_MS;
}
