const PAUSE_MIN_MS = 250;
const PAUSE_MAX_MS = 30_000;
const RETRIES_MAX = 8;

/**
 * The wait before a request that was refused `refusals` times is sent again; Infinity: it is not sent again, as when
 * the peer names no time. A time near 0 gets growing pauses.
 */
export function retryPauseMs(wantedMs: number | null, refusals: number): number {
  if (wantedMs === null || refusals > RETRIES_MAX) return Infinity;
  return Math.max(wantedMs, Math.min(PAUSE_MIN_MS * 2 ** (refusals - 1), PAUSE_MAX_MS));
}
