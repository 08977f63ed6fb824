/** Smaller differences are ignored: an answer's `Date` has whole seconds, and the answer took time to arrive. */
const TOLERATED_MS = 5_000;

let aheadMs = 0;

/**
 * How far the device's clock is ahead of the service's in ms, by the `Date` of an answer. 0 when the difference is
 * within the uncertainty; null without a valid `Date`.
 */
export function clockAhead(date: string | null, sentAt: number, receivedAt: number): number | null {
  const at = date === null ? Number.NaN : Date.parse(date);
  if (Number.isNaN(at)) return null;
  // The answer was made between `sentAt` and `receivedAt`, within the second that `Date` names.
  const ahead = (sentAt + receivedAt) / 2 - (at + 500);
  return Math.abs(ahead) > TOLERATED_MS + (receivedAt - sentAt) / 2 ? Math.round(ahead) : 0;
}

/** Updates the difference between the clocks from an answer. */
export function recordServiceTime(response: Response, sentAt: number): void {
  aheadMs = clockAhead(response.headers.get("Date"), sentAt, Date.now()) ?? aheadMs;
}

/** The service's current time in epoch ms, to compare its times with: a device's clock may be an hour off. */
export function serviceNow(): number {
  return Date.now() - aheadMs;
}
