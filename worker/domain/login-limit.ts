/** The window in which failed sign-ins are counted. Every attempt counts as failed until it has succeeded. */
export const LOGIN_WINDOW_MS = 15 * 60_000;

/**
 * The scopes in which an attempt is counted, in this order; an attempt that one scope refuses is not counted in the
 * next ones. A browser that has signed in to the account before is counted alone, so that no guesser can lock its owner
 * out. A guesser with many addresses meets `email`. When callers have no trusted address, `pair` and `address` cannot
 * be counted, and an account has the lower limit `unplacedEmail` instead.
 *
 * Anyone can fill an account's limit. Above it, each turn admits one attempt, so that the owner gets in.
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

/** The length of a turn. The other scopes have the whole window. */
const TURNS_MS: Partial<Record<LoginScope, number>> = { turn: 10_000, unplacedTurn: 60_000 };
/** Above these limits attempts take turns. */
const BEFORE_TURNS: ReadonlySet<LoginScope> = new Set(["email", "unplacedEmail"]);

export interface CountedAttempt {
  scope: LoginScope;
  failures: number;
  windowStartedAt: number;
}

export interface LoginVerdict {
  /** Null admits the attempt. */
  retryAfterSeconds: number | null;
  /** A limit was reached for the first time in its window, which the audit log records. */
  limitMet: boolean;
}

/** The time over which attempts are counted together. */
export function loginWindowMs(scope: LoginScope): number {
  return TURNS_MS[scope] ?? LOGIN_WINDOW_MS;
}

/** Whether the scope is counted only while the scope before it is over its limit. */
export function isTurn(scope: LoginScope): boolean {
  return TURNS_MS[scope] !== undefined;
}

/** `counted` includes this attempt. It includes a turn only when the account's limit is reached. */
export function judgeLogin(counted: readonly CountedAttempt[], now: number): LoginVerdict {
  const over = counted.filter(({ scope, failures }) => failures > LOGIN_LIMITS[scope]);
  const refusing = over.find(({ scope }) => !BEFORE_TURNS.has(scope));
  const limitMet = over.some(({ scope, failures }) => !isTurn(scope) && failures === LOGIN_LIMITS[scope] + 1);
  if (refusing === undefined) return { retryAfterSeconds: null, limitMet };
  const leftMs = refusing.windowStartedAt + loginWindowMs(refusing.scope) - now;
  return { retryAfterSeconds: Math.max(1, Math.ceil(leftMs / 1_000)), limitMet };
}
