import { WEBHOOK_IDEMPOTENCY_WINDOW_MS } from "../../schema/limits.ts";

/**
 * Webhook requests with equal keys are the same event (docs/design/http-api.md#deduplication). An explicit key replaces
 * the payload's digest and has a separate namespace, so it never equals a digest.
 */
export function explicitDedupeKey(idempotencyKey: string): string {
  return `k:${idempotencyKey}`;
}

export function payloadDedupeKey(payloadDigest: string): string {
  return `h:${payloadDigest}`;
}

/**
 * A window starts at the first acceptance; a duplicate does not prolong it (docs/design/http-api.md#deduplication). An
 * acceptance further ahead than a window comes from a clock that was set back meanwhile: nothing equals it any longer.
 */
export function isWithinDedupeWindow(acceptedAt: number, now: number): boolean {
  return Math.abs(now - acceptedAt) < WEBHOOK_IDEMPOTENCY_WINDOW_MS;
}
