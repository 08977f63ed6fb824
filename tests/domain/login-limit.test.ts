import { expect, test } from "bun:test";
import { LOGIN_WINDOW_MS, judgeLogin } from "../../worker/domain/login-limit.ts";

const NOW = 1_800_000_000_000;

test.each([
  ["nothing counted", [], null],
  ["at the limit", [{ failures: 5, limit: 5, windowStartedAt: NOW }], null],
  [
    "the first over the limit waits for the window's end",
    [{ failures: 6, limit: 5, windowStartedAt: NOW - 60_000 }],
    { retryAfterSeconds: LOGIN_WINDOW_MS / 1_000 - 60, first: true },
  ],
  [
    "later ones are not the first",
    [{ failures: 9, limit: 5, windowStartedAt: NOW }],
    { retryAfterSeconds: LOGIN_WINDOW_MS / 1_000, first: false },
  ],
  [
    "one limit of several is enough",
    [
      { failures: 1, limit: 50, windowStartedAt: NOW },
      { failures: 6, limit: 5, windowStartedAt: NOW },
    ],
    { retryAfterSeconds: LOGIN_WINDOW_MS / 1_000, first: true },
  ],
  [
    "at a window's very end one second is left",
    [{ failures: 6, limit: 5, windowStartedAt: NOW - LOGIN_WINDOW_MS }],
    { retryAfterSeconds: 1, first: true },
  ],
])("%s", (_name, counted, expected) => {
  expect(judgeLogin(counted, NOW)).toEqual(expected);
});
