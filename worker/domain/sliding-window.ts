/** A limit of so many requests in any stretch of `windowMs`. */
export interface WindowRule {
  readonly limit: number;
  readonly windowMs: number;
}

export type WindowEntry =
  | { allowed: true; times: readonly number[] }
  /** Whole seconds, at least one, after which there is room again (docs/design/http-api.md#problems). */
  | { allowed: false; retryAfterSeconds: number };

/**
 * Lets a request in at `now`, or refuses it. `times` are those of the requests let in before, oldest first; the
 * answer's `times` take their place. A refused request is not among them, so that knocking does not keep a door shut.
 */
export function enterWindow(times: readonly number[], rule: WindowRule, now: number): WindowEntry {
  const kept = withinWindow(times, rule.windowMs, now);
  if (kept.length < rule.limit) return { allowed: true, times: [...kept, now] };
  const leavesNext = kept[kept.length - rule.limit] ?? now;
  return { allowed: false, retryAfterSeconds: Math.max(1, Math.ceil((leavesNext + rule.windowMs - now) / 1_000)) };
}

/** The times that still count at `now`: a request is out of the window exactly `windowMs` after it came. */
export function withinWindow(times: readonly number[], windowMs: number, now: number): readonly number[] {
  const start = now - windowMs;
  const first = times.findIndex((time) => time > start);
  return first === -1 ? [] : first === 0 ? times : times.slice(first);
}
