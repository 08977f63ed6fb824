const PAUSE_MIN_MS = 250;
const PAUSE_MAX_MS = 30_000;
const RETRIES_MAX = 8;

/** `Retry-After` (RFC 9110, 10.2.3), seconds or a date, in milliseconds from `now`; null where it is missing or unreadable. */
export function retryAfterMs(header: string | undefined, now: number): number | null {
  const text = header?.trim() ?? "";
  if (/^\d{1,9}(\.\d+)?$/u.test(text)) return Number(text) * 1_000;
  // A date begins with its day. Lenient parsers take -1 for a month, and that for a time long ago.
  const date = /^[A-Za-z]/u.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? null : Math.max(0, date - now);
}

/**
 * How long to wait before a request that was refused `refusals` times is sent again; Infinity: it is not. A limit that
 * names no time is not guessed, and one that names none that is worth it (0) is asked at growing distances.
 */
export function retryPauseMs(wantedMs: number | null, refusals: number): number {
  if (wantedMs === null || refusals > RETRIES_MAX) return Infinity;
  return Math.max(wantedMs, Math.min(PAUSE_MIN_MS * 2 ** (refusals - 1), PAUSE_MAX_MS));
}
