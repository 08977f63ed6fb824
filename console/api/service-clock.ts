/** Clocks that differ by less are taken for right: an answer's `Date` is of whole seconds, and was under way. */
const TOLERATED_MS = 5_000;

let aheadMs = 0;

/** How far a device's clock is ahead of the service's, by the `Date` of an answer; 0 while that is within what is not known. */
export function clockAhead(date: string | null, sentAt: number, receivedAt: number): number | null {
  const at = date === null ? Number.NaN : Date.parse(date);
  if (Number.isNaN(at)) return null;
  // It was made between the two, in the second that it names.
  const ahead = (sentAt + receivedAt) / 2 - (at + 500);
  return Math.abs(ahead) > TOLERATED_MS + (receivedAt - sentAt) / 2 ? Math.round(ahead) : 0;
}

/** Learns from an answer how far this device's clock is off. */
export function hearServiceTime(response: Response, sentAt: number): void {
  aheadMs = clockAhead(response.headers.get("Date"), sentAt, Date.now()) ?? aheadMs;
}

/** Now, as the service has it: what its times are compared with. A device's own clock may be an hour off. */
export function serviceNow(): number {
  return Date.now() - aheadMs;
}
