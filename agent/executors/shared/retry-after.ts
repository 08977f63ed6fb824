/** `Retry-After` (RFC 9110, 10.2.3), seconds or a date, in milliseconds from `now`; null where it is missing or unreadable. */
export function retryAfterMs(header: string | undefined, now: number): number | null {
  const text = header?.trim() ?? "";
  if (/^\d{1,9}(\.\d+)?$/u.test(text)) return Number(text) * 1_000;
  const date = text === "" ? Number.NaN : Date.parse(text);
  return Number.isNaN(date) ? null : Math.max(0, date - now);
}
