import { describe, expect, test } from "bun:test";
import { ago, duration, spelledDuration, stageTime } from "../../console/strings/time.ts";

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

describe("durations", () => {
  test.each([
    [-5, "0 ms"],
    [999.4, "999 ms"],
    [999.6, "1.0 s"],
    [9_940, "9.9 s"],
    [9_960, "10 s"],
    [59_400, "59 s"],
    [59_600, "1 min"],
    [119_600, "2 min"],
    [185_000, "3 min 5 s"],
    [HOUR_MS - 400, "1 h"],
    [7_199_000, "2 h"],
    [2 * HOUR_MS + 4 * MINUTE_MS, "2 h 4 min"],
    [DAY_MS - 20_000, "1 d"],
    [2 * DAY_MS - MINUTE_MS, "2 d"],
    [400 * DAY_MS + 3 * HOUR_MS, "400 d 3 h"],
  ])("of %p ms are shown as %p", (ms, text) => {
    expect(duration(ms)).toBe(text);
  });

  test.each([
    [1, "1 second"],
    [90, "90 seconds"],
    [3_600, "1 hour"],
    [172_800, "2 days"],
  ])("that a person set to %p s are spelled out: %p", (seconds, text) => {
    expect(spelledDuration(seconds)).toBe(text);
  });

  test("never fill a smaller unit", () => {
    const full = /\b(?:1000 ms|60(?:\.0)? s|60 min|24 h)\b/u;
    const offsets = [-1_000, -600, -500, -400, -50, -1, 0, 1, 400, 500, 600, 30_000];
    const boundaries = [1, 2, 59, 60].flatMap((count) =>
      [SECOND_MS, MINUTE_MS, HOUR_MS, DAY_MS].map((unit) => count * unit),
    );
    const texts = boundaries.flatMap((boundary) => offsets.map((offset) => duration(boundary + offset)));
    expect(texts.filter((text) => full.test(text))).toEqual([]);
  });
});

describe("ages", () => {
  test.each([
    [9_900, "just now"],
    [59_400, "59 seconds ago"],
    [59_600, "1 minute ago"],
    [59.4 * MINUTE_MS, "59 minutes ago"],
    [59.6 * MINUTE_MS, "1 hour ago"],
    [23.4 * HOUR_MS, "23 hours ago"],
    [23.7 * HOUR_MS, "1 day ago"],
    [-59.6 * MINUTE_MS, "in 1 hour"],
    [-30 * HOUR_MS, "in 1 day"],
  ])("of %p ms are shown as %p", (ms, text) => {
    expect(ago(0, ms)).toBe(text);
  });
});

describe("the time of a stage", () => {
  const at = new Date(2026, 10, 27, 23, 59, 58, 120);
  test("of today has no date", () => {
    expect(stageTime(at.toISOString(), at.getTime() + SECOND_MS)).toBe("23:59:58.120");
  });

  test("of another day has its date", () => {
    expect(stageTime(at.toISOString(), at.getTime() + 2 * SECOND_MS)).toBe("27 Nov 2026, 23:59:58.120");
  });
});
