/** The window in which failed sign-ins are counted. Every attempt counts as failed until it has succeeded. */
export const LOGIN_WINDOW_MS = 15 * 60_000;

/**
 * The scopes in which an attempt is counted (docs/design/people.md#passwords), in this order. An attempt that one scope
 * refuses is not counted in the next ones.
 */
export const LOGIN_LIMITS = {
  /** A browser that has signed in to the account before. Counted alone, so that no guesser locks its owner out. */
  device: 5,
  address: 50,
  /** The account and the address. */
  pair: 5,
  /** The account, for a guesser with many addresses. */
  email: 100,
  /** Above `email`, which anyone can fill, each turn admits one attempt, so that the owner gets in. */
  turn: 1,
  /** The account, when callers have no trusted address, so that `address` and `pair` cannot be counted. */
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
