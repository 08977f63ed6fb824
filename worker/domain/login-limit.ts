/** How many sign-ins may fail within a window. Every attempt counts as failed until it has succeeded. */
export const LOGIN_WINDOW_MS = 15 * 60_000;

/**
 * What attempts are counted under, in this order; one that is refused is not counted under what comes after it.
 * Somebody who guesses from many addresses meets `email`; a browser that has signed in to this account before is
 * counted by itself alone, so that no guesser can keep its owner out.
 */
export const LOGIN_LIMITS = { device: 5, address: 50, pair: 5, email: 100 } as const;
export type LoginScope = keyof typeof LOGIN_LIMITS;

export interface CountedAttempt {
  failures: number;
  windowStartedAt: number;
  limit: number;
}

export interface LoginRefusal {
  retryAfterSeconds: number;
  /** The first refusal of its window: the one that is worth a line in the audit log. */
  first: boolean;
}

/** Null lets the attempt on. `counted` holds this attempt, too. */
export function judgeLogin(counted: readonly CountedAttempt[], now: number): LoginRefusal | null {
  const over = counted.find(({ failures, limit }) => failures > limit);
  if (over === undefined) return null;
  const leftMs = over.windowStartedAt + LOGIN_WINDOW_MS - now;
  return { retryAfterSeconds: Math.max(1, Math.ceil(leftMs / 1_000)), first: over.failures === over.limit + 1 };
}
