const PAUSE_MIN_MS = 250;
const PAUSE_MAX_MS = 30_000;
const RETRIES_MAX = 8;

/**
 * How long to wait before a request that was refused `refusals` times is sent again; Infinity: it is not. A limit that
 * names no time is not guessed, and one that names none that is worth it (0) is asked at growing distances.
 */
export function retryPauseMs(wantedMs: number | null, refusals: number): number {
  if (wantedMs === null || refusals > RETRIES_MAX) return Infinity;
  return Math.max(wantedMs, Math.min(PAUSE_MIN_MS * 2 ** (refusals - 1), PAUSE_MAX_MS));
}
