import { createHmac } from "node:crypto";
import { LOGIN_LIMITS, isTurn, judgeLogin, loginWindowMs } from "../../domain/login-limit.ts";
import type { LoginScope } from "../../domain/login-limit.ts";
import type { Statement } from "../../store/database.ts";
import { countLoginAttempt, deleteLoginFailures, takeBackLoginFailure } from "../../store/login-failures.ts";
import { Turns } from "../../store/turns.ts";
import { recordFirst } from "../audit-record.ts";
import type { Deps } from "../deps.ts";
import { ProblemError } from "../problem.ts";
import { tooManyAtOnce } from "./comparisons.ts";

/** The origin of a sign-in. */
export interface LoginPlace {
  /** The caller's address; null when it is unknown. */
  address: string | null;
  /** The value of the cookie of a browser that has signed in before. */
  knownDevice: string | null;
}

type LoginFailure = "too many attempts" | "wrong email or password" | "wrong current password" | "disabled";

const COUNTS_AT_ONCE = 2;
const COUNT_WAIT_MAX_MS = 5_000;
/** Longer than a count takes. */
const COUNT_MAX_MS = 60_000;

/** One for each isolate. Anyone can sign in wrongly, and each attempt is a write: they must not crowd out the others. */
const countTurns = new Turns({ size: () => COUNTS_AT_ONCE, turnMaxMs: COUNT_MAX_MS, now: Date.now });

/** An admitted attempt, and the keys that it was counted under. */
export interface LoginAttempt {
  keys: readonly { scope: LoginScope; key: string }[];
}

/**
 * Counts an attempt as failed before anything is compared, so that concurrent attempts cannot pass together, and a
 * flood costs no bcrypt. `clearLoginFailures` takes a successful attempt back. Throws `rate_limit_exceeded`, or
 * `unavailable` when too many attempts wait to be counted.
 */
export async function admitLogin(deps: Deps, email: string, place: LoginPlace): Promise<LoginAttempt> {
  const turn = await countTurns.enter(deps.now() + COUNT_WAIT_MAX_MS);
  if (turn === null) throw tooManyAtOnce();
  try {
    return await count(deps, email, place);
  } finally {
    countTurns.leave(turn);
  }
}

async function count(deps: Deps, email: string, place: LoginPlace): Promise<LoginAttempt> {
  const now = deps.now();
  const keys = scopesOf(email, place).map(({ scope, of }) => ({
    scope,
    key: digest(deps.settings.secret, `${scope}\n${of}`),
    limit: LOGIN_LIMITS[scope],
    windowMs: loginWindowMs(scope),
    ifBeforeIsOver: isTurn(scope),
  }));
  const { retryAfterSeconds, limitMet } = judgeLogin(await countLoginAttempt(deps.db, keys, now), now);
  if (limitMet) await recordLoginFailure(deps, email, place.address, { reason: "too many attempts" });
  if (retryAfterSeconds === null) return { keys };
  throw new ProblemError(
    "rate_limit_exceeded",
    `Too many attempts to sign in. Wait ${durationLabel(retryAfterSeconds)} and try again.`,
    { headers: { "Retry-After": String(retryAfterSeconds) } },
  );
}

/** For the batch of a successful attempt. Others may share its address, so there only this attempt is taken back. */
export function clearLoginFailures(deps: Deps, attempt: LoginAttempt): Statement[] {
  const [shared, own] = [true, false].map((isShared) =>
    attempt.keys.filter(({ scope }) => (scope === "address") === isShared).map(({ key }) => key),
  );
  return [deleteLoginFailures(deps.db, own ?? []), ...(shared ?? []).map((key) => takeBackLoginFailure(deps.db, key))];
}

/** `email` as it was entered: there may be no such user. */
export async function recordLoginFailure(
  deps: Deps,
  email: string,
  address: string | null,
  more: { actor?: string; userId?: string; reason: LoginFailure },
): Promise<void> {
  await recordFirst(deps, {
    actor: more.actor ?? "anonymous",
    verb: "login-failed",
    subjectType: "user",
    subjectId: more.userId ?? "unknown",
    detail: { email, address, reason: more.reason },
  });
}

function scopesOf(email: string, { address, knownDevice }: LoginPlace): { scope: LoginScope; of: string }[] {
  if (knownDevice !== null) return [{ scope: "device", of: `${email}\n${knownDevice}` }];
  // When callers have no address, one shared count would let each of them lock the others out.
  if (address === null) {
    return [
      { scope: "unplacedEmail", of: email },
      { scope: "unplacedTurn", of: email },
    ];
  }
  return [
    { scope: "address", of: address },
    { scope: "pair", of: `${email}\n${address}` },
    { scope: "email", of: email },
    { scope: "turn", of: email },
  ];
}

function durationLabel(seconds: number): string {
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.ceil(seconds / 60);
  return `${minutes} ${minutes === 1 ? "minute" : "minutes"}`;
}

/** A digest, so that the table holds no addresses of people who mistyped their password. */
function digest(serverSecret: string, text: string): string {
  return createHmac("sha256", serverSecret).update(`login-failures\n${text}`).digest("base64url");
}
