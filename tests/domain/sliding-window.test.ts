import { describe, expect, test } from "bun:test";
import { enterWindow, withinWindow } from "../../worker/domain/sliding-window.ts";

const RULE = { limit: 3, windowMs: 60_000 };

describe("a sliding window", () => {
  const cases: [title: string, times: number[], now: number, answer: ReturnType<typeof enterWindow>][] = [
    ["lets the first call in", [], 1_000, { allowed: true, times: [1_000] }],
    ["lets calls in up to its limit", [0, 1], 2, { allowed: true, times: [0, 1, 2] }],
    ["refuses the call beyond its limit", [0, 1, 2], 3, { allowed: false, retryAfterSeconds: 60 }],
    ["gives the wait in whole seconds, rounded up", [0, 1, 2], 500, { allowed: false, retryAfterSeconds: 60 }],
    [
      "counts the seconds from the oldest call in the window",
      [0, 1, 2],
      45_000,
      { allowed: false, retryAfterSeconds: 15 },
    ],
    ["never says zero seconds", [0, 1, 2], 59_999, { allowed: false, retryAfterSeconds: 1 }],
    [
      "has room exactly when the oldest call is one window old",
      [0, 1, 2],
      60_000,
      { allowed: true, times: [1, 2, 60_000] },
    ],
    [
      "slides: only the oldest call leaves",
      [0, 30_000, 30_001],
      60_000,
      { allowed: true, times: [30_000, 30_001, 60_000] },
    ],
    ["is empty after a long pause", [0, 1, 2], 600_000, { allowed: true, times: [600_000] }],
    ["forgets times of a clock that was set back by more", [60_000, 90_000], 0, { allowed: true, times: [0] }],
    [
      "counts times of a clock that was set back by less",
      [30_000, 40_000, 50_000],
      0,
      { allowed: false, retryAfterSeconds: 90 },
    ],
    [
      "forgets times behind those of a clock that was set back",
      [80_000, 1],
      61_000,
      { allowed: true, times: [80_000, 61_000] },
    ],
    ["counts calls at the same time one by one", [5, 5, 5], 5, { allowed: false, retryAfterSeconds: 60 }],
    [
      "waits until enough calls have left when it has more than its limit",
      [0, 10_000, 20_000, 30_000],
      40_000,
      { allowed: false, retryAfterSeconds: 30 },
    ],
  ];
  for (const [title, times, now, answer] of cases) {
    test(title, () => {
      expect(enterWindow(times, RULE, now)).toEqual(answer);
    });
  }

  test("is open after exactly the seconds that it gave", () => {
    for (let now = 100; now < 60_000; now += 777) {
      const refused = enterWindow([0, 50, 99], RULE, now);
      expect(refused.allowed).toBe(false);
      if (!refused.allowed) {
        expect(enterWindow([0, 50, 99], RULE, now + refused.retryAfterSeconds * 1_000).allowed).toBe(true);
      }
    }
  });

  test("does not change the list of times that it gets", () => {
    const times = [0, 1];
    enterWindow(times, RULE, 2);
    withinWindow(times, 60_000, 70_000);
    expect(times).toEqual([0, 1]);
  });
});
