/** At most `limit` requests in any span of `windowMs`. */
export interface WindowRule {
  readonly limit: number;
  readonly windowMs: number;
}

export type WindowEntry =
  | { allowed: true; times: readonly number[] }
  /** Whole seconds, at least one, until there is room again (docs/design/http-api.md#problems). */
  | { allowed: false; retryAfterSeconds: number };

/**
 * Lets a request in at `now`, or refuses it. `times` are the times of the requests let in before, oldest first; the
 * answer's `times` replace them. Refused requests do not count, so a client that keeps trying still gets in.
 */
export function enterWindow(times: readonly number[], rule: WindowRule, now: number): WindowEntry {
  const kept = withinWindow(times, rule.windowMs, now);
  if (kept.length < rule.limit) return { allowed: true, times: [...kept, now] };
  const leavesNext = kept[kept.length - rule.limit] ?? now;
  return { allowed: false, retryAfterSeconds: Math.max(1, Math.ceil((leavesNext + rule.windowMs - now) / 1_000)) };
}

/**
 * The times that still count at `now`: a request leaves the window exactly `windowMs` after it came. A time further ahead
 * than that comes from a clock that was set back meanwhile, and would count for as long as the clock was wrong.
 */
export function withinWindow(times: readonly number[], windowMs: number, now: number): readonly number[] {
  const counts = (time: number) => Math.abs(now - time) < windowMs;
  return times.every(counts) ? times : times.filter(counts);
}
