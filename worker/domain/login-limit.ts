/** How many sign-ins may fail within a window. Every attempt counts as failed until it has succeeded. */
export const LOGIN_WINDOW_MS = 15 * 60_000;

/**
 * What attempts are counted under, one after the other; one that is refused is not counted under what comes after
 * it. A browser that has signed in to this account before is counted by itself alone, so that no guesser can keep its
 * owner out. A guesser with many addresses meets `email`. Where callers have no trusted address, `pair` and `address`
 * cannot be counted, and an account has the lower limit `unplacedEmail` instead.
 *
 * Anyone can fill an account's limit. Above it one attempt is let on in every turn, so that its owner gets in.
 */
export const LOGIN_LIMITS = {
  device: 5,
  address: 50,
  pair: 5,
  email: 100,
  turn: 1,
  unplacedEmail: 10,
  unplacedTurn: 1,
} as const;
export type LoginScope = keyof typeof LOGIN_LIMITS;

/** How long a turn is. A scope that is not here has the whole window. */
const TURNS_MS: Partial<Record<LoginScope, number>> = { turn: 10_000, unplacedTurn: 60_000 };
/** Above these limits attempts take turns. */
const BEFORE_TURNS: ReadonlySet<LoginScope> = new Set(["email", "unplacedEmail"]);

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
  return TURNS_MS[scope] ?? LOGIN_WINDOW_MS;
}

/** Whether it is counted only while the scope before it is over its limit. */
export function isTurn(scope: LoginScope): boolean {
  return TURNS_MS[scope] !== undefined;
}

/** `counted` holds this attempt, too; a turn only when the limit of the account is met. */
export function judgeLogin(counted: readonly CountedAttempt[], now: number): LoginVerdict {
  const over = counted.filter(({ scope, failures }) => failures > LOGIN_LIMITS[scope]);
  const refusing = over.find(({ scope }) => !BEFORE_TURNS.has(scope));
  const limitMet = over.some(({ scope, failures }) => !isTurn(scope) && failures === LOGIN_LIMITS[scope] + 1);
  if (refusing === undefined) return { retryAfterSeconds: null, limitMet };
  const leftMs = refusing.windowStartedAt + loginWindowMs(refusing.scope) - now;
  return { retryAfterSeconds: Math.max(1, Math.ceil(leftMs / 1_000)), limitMet };
}
