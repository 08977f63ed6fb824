/**
 * `Retry-After` (RFC 9110, 10.2.3), seconds or a date, in milliseconds from `now`; null when it is missing or invalid.
 */
export function retryAfterMs(header: string | null | undefined, now: number): number | null {
  const text = header?.trim() ?? "";
  if (/^\d{1,9}(\.\d+)?$/u.test(text)) return Number(text) * 1_000;
  // A date begins with its day. Lenient parsers read -1 as a month, and so as a date long ago.
  const date = /^[A-Za-z]/u.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? null : Math.max(0, date - now);
}
