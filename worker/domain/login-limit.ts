/** How many sign-ins may fail within a window. Every attempt counts as failed until it has succeeded. */
export const LOGIN_WINDOW_MS = 15 * 60_000;
const TURN_MS = 10_000;

/**
 * What attempts are counted under, in this order; one that is refused is not counted under what comes after it.
 * Somebody who guesses from many addresses meets `email`; a browser that has signed in to this account before is
 * counted by itself alone, so that no guesser can keep its owner out.
 *
 * Anybody can fill an account's `email`, so above it nobody is shut out: one attempt is let on in every turn of 10 s.
 * That is too slow for guessing, and its owner gets in.
 */
export const LOGIN_LIMITS = { device: 5, address: 50, pair: 5, email: 100, turn: 1 } as const;
export type LoginScope = keyof typeof LOGIN_LIMITS;

export interface CountedAttempt {
  scope: LoginScope;
  failures: number;
  windowStartedAt: number;
}

export interface LoginVerdict {
  /** Null lets the attempt on. */
  retryAfterSeconds: number | null;
  /** A limit was met for the first time in its window: that is worth a line in the audit log. */
  limitMet: boolean;
}

/** How long attempts are counted together. */
export function loginWindowMs(scope: LoginScope): number {
  return scope === "turn" ? TURN_MS : LOGIN_WINDOW_MS;
}

/** `counted` holds this attempt, too; a turn only when `email` is over its limit. */
export function judgeLogin(counted: readonly CountedAttempt[], now: number): LoginVerdict {
  const over = counted.filter(({ scope, failures }) => failures > LOGIN_LIMITS[scope]);
  const refusing = over.find(({ scope }) => scope !== "email");
  const limitMet = over.some(({ scope, failures }) => scope !== "turn" && failures === LOGIN_LIMITS[scope] + 1);
  if (refusing === undefined) return { retryAfterSeconds: null, limitMet };
  const leftMs = refusing.windowStartedAt + loginWindowMs(refusing.scope) - now;
  return { retryAfterSeconds: Math.max(1, Math.ceil(leftMs / 1_000)), limitMet };
}
