import { expect, test } from "bun:test";
import { LOGIN_WINDOW_MS, judgeLogin } from "../../worker/domain/login-limit.ts";
import type { CountedAttempt, LoginScope, LoginVerdict } from "../../worker/domain/login-limit.ts";

const NOW = 1_800_000_000_000;
const WINDOW_SECONDS = LOGIN_WINDOW_MS / 1_000;

const counted = (scope: LoginScope, failures: number, startedAgoMs = 0): CountedAttempt => ({
  scope,
  failures,
  windowStartedAt: NOW - startedAgoMs,
});

const cases: [string, CountedAttempt[], LoginVerdict][] = [
  ["an attempt passes without a count", [], { retryAfterSeconds: null, limitMet: false }],
  ["an attempt at the limit passes", [counted("pair", 5)], { retryAfterSeconds: null, limitMet: false }],
  [
    "the first attempt over the limit waits for the window's end",
    [counted("pair", 6, 60_000)],
    { retryAfterSeconds: WINDOW_SECONDS - 60, limitMet: true },
  ],
  [
    "later attempts over the limit do not count as the first",
    [counted("device", 9)],
    { retryAfterSeconds: WINDOW_SECONDS, limitMet: false },
  ],
  [
    "one exceeded limit of several is enough to refuse",
    [counted("address", 1), counted("pair", 6)],
    { retryAfterSeconds: WINDOW_SECONDS, limitMet: true },
  ],
  [
    "an attempt at a window's very end waits for one second",
    [counted("pair", 6, LOGIN_WINDOW_MS)],
    { retryAfterSeconds: 1, limitMet: true },
  ],
  [
    "above an account's limit the first attempt of a turn passes",
    [counted("email", 101), counted("turn", 1)],
    { retryAfterSeconds: null, limitMet: true },
  ],
  [
    "above an account's limit the next attempt waits for the turn's end",
    [counted("email", 102), counted("turn", 2, 3_000)],
    { retryAfterSeconds: 7, limitMet: false },
  ],
  [
    "without an address, ten attempts pass",
    [counted("unplacedEmail", 10)],
    { retryAfterSeconds: null, limitMet: false },
  ],
  [
    "without an address, the first attempt of a turn above ten passes",
    [counted("unplacedEmail", 11), counted("unplacedTurn", 1)],
    { retryAfterSeconds: null, limitMet: true },
  ],
  [
    "without an address, the next attempt waits for the minute's end",
    [counted("unplacedEmail", 12), counted("unplacedTurn", 2, 3_000)],
    { retryAfterSeconds: 57, limitMet: false },
  ],
];

test.each(cases)("login limit: %s", (_name, attempts, expected) => {
  expect(judgeLogin(attempts, NOW)).toEqual(expected);
});
