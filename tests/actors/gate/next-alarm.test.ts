import { describe, expect, test } from "bun:test";
import { computeNextGateAlarm, startRetryDelayMs } from "../../../worker/actors/gate/next-alarm.ts";
import type { GateWork } from "../../../worker/actors/gate/next-alarm.ts";

const NOW = 1_000_000;
const MINUTE_MS = 60_000;
const NOTHING: GateWork = {
  pending: false,
  retryAt: null,
  unsaved: false,
  recheckAt: null,
  newestStartedAt: null,
  newestCountedAt: null,
  revokedAt: null,
};

describe("a gate's next alarm", () => {
  const cases: [title: string, work: Partial<GateWork>, at: number | null][] = [
    ["is not set when no work is left", {}, null],
    ["rings soon while an event waits for its start", { pending: true }, NOW + 10_000],
    ["rings earlier when a start may be tried again by then", { pending: true, retryAt: NOW + 1_000 }, NOW + 1_000],
    ["saves starts that are recorded only in memory", { unsaved: true }, NOW + 10_000],
    ["asks for the status of a running execution", { recheckAt: NOW + 5_000, newestStartedAt: NOW }, NOW + 5_000],
    ["deletes the newest event when its window ends", { newestStartedAt: NOW - MINUTE_MS }, NOW + 4 * MINUTE_MS],
    ["deletes counted requests when they no longer count", { newestCountedAt: NOW - 1_000 }, NOW + 59_000],
    [
      "waits for the later of two deletions, to delete everything together",
      { newestStartedAt: NOW - 280_000, newestCountedAt: NOW },
      NOW + MINUTE_MS,
    ],
    ["leaves an overdue status check to the alarm of a pending event", { pending: true, recheckAt: NOW }, NOW + 10_000],
    ["forgets a revoked key after a day", { revokedAt: NOW }, NOW + 24 * 60 * MINUTE_MS],
  ];
  for (const [title, work, at] of cases) {
    test(title, () => {
      expect(computeNextGateAlarm({ ...NOTHING, ...work }, NOW)).toBe(at);
    });
  }
});

describe("the wait between failed starts", () => {
  test("is 1 s, then 2 s", () => {
    expect([1, 2, 3, 4, 5, 60, 5_000].map((failures) => startRetryDelayMs(failures, 0))).toEqual([
      1_000, 2_000, 2_000, 2_000, 2_000, 2_000, 2_000,
    ]);
  });

  test("is shortened at random by up to a half", () => {
    expect(startRetryDelayMs(1, 0.5)).toBe(750);
    expect(startRetryDelayMs(9, 0.999)).toBe(1_001);
  });
});
