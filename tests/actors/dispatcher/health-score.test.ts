import { describe, expect, test } from "bun:test";
import { OutcomeWindow, healthParts, healthScore } from "../../../worker/actors/dispatcher/rules/health.ts";

const NONE = { finished: 0, succeeded: 0 };
const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;

describe("the heartbeat's half of the score", () => {
  test.each([
    [0, 100],
    [59, 100],
    [59.999, 100],
    [60, 100],
    [60.2, 100],
    [61, 98],
    [75, 75],
    [89, 52],
    [89.9, 50],
    [90, 50],
    [3_600, 50],
  ])("a heartbeat %p s ago gives %p with a full success rate", (ageSeconds, expected) => {
    expect(healthScore(ageSeconds * SECOND_MS, NONE)).toBe(expected);
  });

  test("is zero for an agent that was never heard", () => {
    expect(healthScore(null, NONE)).toBe(50);
  });
});

describe("the success rate's half of the score", () => {
  test.each([
    [{ finished: 4, succeeded: 4 }, 100],
    [{ finished: 4, succeeded: 3 }, 88],
    [{ finished: 3, succeeded: 2 }, 83],
    [{ finished: 2, succeeded: 1 }, 75],
    [{ finished: 4, succeeded: 0 }, 50],
  ])("is rounded only after the sum of both halves: %j gives %p", (outcomes, expected) => {
    expect(healthScore(0, outcomes)).toBe(expected);
  });

  test("is reported unrounded with its inputs", () => {
    expect(healthParts(75 * SECOND_MS, { finished: 4, succeeded: 3 })).toEqual({
      heartbeatPoints: 25,
      successPoints: 37.5,
      finishedJobs: 4,
      succeededJobs: 3,
    });
    expect(healthParts(null, NONE)).toMatchObject({ heartbeatPoints: 0, successPoints: 50 });
  });

  test("is rounded after the sum: 33.3 and 16.7 are 50", () => {
    expect(healthScore(70 * SECOND_MS, { finished: 3, succeeded: 1 })).toBe(50);
  });
});

describe("the window of the last hour", () => {
  test("drops jobs that ended more than an hour ago, minute by minute", () => {
    const window = new OutcomeWindow();
    const start = Date.UTC(2026, 0, 5, 12);
    window.add(true, start);
    window.add(false, start + 30 * MINUTE_MS);
    expect(window.count(start + 59 * MINUTE_MS)).toEqual({ finished: 2, succeeded: 1 });
    expect(window.count(start + 60 * MINUTE_MS)).toEqual({ finished: 1, succeeded: 0 });
    expect(window.count(start + 90 * MINUTE_MS)).toEqual(NONE);
  });
});
