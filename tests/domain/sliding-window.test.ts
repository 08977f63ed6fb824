import { describe, expect, test } from "bun:test";
import { enterWindow, withinWindow } from "../../worker/domain/sliding-window.ts";

const RULE = { limit: 3, windowMs: 60_000 };

describe("a sliding window", () => {
  const cases: [title: string, times: number[], now: number, answer: ReturnType<typeof enterWindow>][] = [
    ["lets the first one in", [], 1_000, { allowed: true, times: [1_000] }],
    ["lets in up to its limit", [0, 1], 2, { allowed: true, times: [0, 1, 2] }],
    ["refuses the one beyond its limit", [0, 1, 2], 3, { allowed: false, retryAfterSeconds: 60 }],
    [
      "says in whole seconds, rounded up, when there is room",
      [0, 1, 2],
      500,
      { allowed: false, retryAfterSeconds: 60 },
    ],
    ["counts the seconds from the oldest that counts", [0, 1, 2], 45_000, { allowed: false, retryAfterSeconds: 15 }],
    ["never says zero seconds", [0, 1, 2], 59_999, { allowed: false, retryAfterSeconds: 1 }],
    ["has room exactly when the oldest is a window old", [0, 1, 2], 60_000, { allowed: true, times: [1, 2, 60_000] }],
    [
      "slides: the oldest alone leaves",
      [0, 30_000, 30_001],
      60_000,
      { allowed: true, times: [30_000, 30_001, 60_000] },
    ],
    ["is empty after a long pause", [0, 1, 2], 600_000, { allowed: true, times: [600_000] }],
    ["counts several at the same time one by one", [5, 5, 5], 5, { allowed: false, retryAfterSeconds: 60 }],
    [
      "waits for enough to leave when it holds more than its limit",
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

  test("is open after exactly the seconds it named", () => {
    for (let now = 100; now < 60_000; now += 777) {
      const refused = enterWindow([0, 50, 99], RULE, now);
      expect(refused.allowed).toBe(false);
      if (!refused.allowed) {
        expect(enterWindow([0, 50, 99], RULE, now + refused.retryAfterSeconds * 1_000).allowed).toBe(true);
      }
    }
  });

  test("leaves the times that it was given as they were", () => {
    const times = [0, 1];
    enterWindow(times, RULE, 2);
    withinWindow(times, 60_000, 70_000);
    expect(times).toEqual([0, 1]);
  });
});
