import { expect, test } from "bun:test";
import { retryAfterMs } from "../../schema/contract/retry-after.ts";

const now = Date.parse("2026-11-01T12:00:00Z");
test.each([
  ["30", 30_000],
  [" 0 ", 0],
  ["1.5", 1_500],
  ["99999999", 99_999_999_000],
  ["Sun, 01 Nov 2026 12:00:10 GMT", 10_000],
  ["Sun, 01 Nov 2026 11:00:00 GMT", 0],
  ["soon", null],
  ["-5 apples", null],
  ["-1", null],
  ["1e3", null],
  ["2026-11-01T12:00:10Z", null],
  ["", null],
  [null, null],
  [undefined, null],
])("a Retry-After of %j is %p milliseconds", (header, expected) => {
  expect(retryAfterMs(header, now)).toBe(expected);
});
