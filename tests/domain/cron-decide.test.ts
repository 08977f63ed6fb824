import { describe, expect, test } from "bun:test";
import { cronTriggerKey, decideRuns } from "../../worker/domain/cron/decide-runs.ts";

const at = (time: string) => Date.parse(`2026-11-21T${time}Z`);
const decide = (expression: string, dueAt: string, now: string) => {
  const { start, missed, next } = decideRuns({ expression }, at(dueAt), at(now));
  const show = (time: number | null) => (time === null ? null : new Date(time).toISOString().slice(11, 16));
  return {
    start: show(start),
    missed: missed === null ? null : [show(missed.first), show(missed.last), missed.count],
    next: show(next),
  };
};

describe("a tick of a due schedule", () => {
  test.each([
    ["on time", "*/5 * * * *", "06:05", "06:05", { start: "06:05", missed: null, next: "06:10" }],
    ["some seconds late", "*/5 * * * *", "06:05", "06:05:59", { start: "06:05", missed: null, next: "06:10" }],
    [
      "one millisecond under ten minutes late",
      "0 * * * *",
      "06:00",
      "06:09:59.999",
      { start: "06:00", missed: null, next: "07:00" },
    ],
    ["ten minutes late", "0 * * * *", "06:00", "06:10", { start: null, missed: ["06:00", "06:00", 1], next: "07:00" }],
    [
      "an every-minute schedule, four minutes late",
      "* * * * *",
      "06:05",
      "06:09",
      { start: "06:09", missed: ["06:05", "06:08", 4], next: "06:10" },
    ],
    [
      "two due times, one of them too old",
      "*/10 * * * *",
      "06:00",
      "06:13",
      { start: "06:10", missed: ["06:00", "06:00", 1], next: "06:20" },
    ],
    [
      "two due times within ten minutes: the latest starts",
      "*/5 * * * *",
      "06:05",
      "06:12",
      { start: "06:10", missed: ["06:05", "06:05", 1], next: "06:15" },
    ],
    [
      "an every-minute schedule, an hour late",
      "* * * * *",
      "05:00",
      "06:00",
      { start: "06:00", missed: ["05:00", "05:59", 60], next: "06:01" },
    ],
    [
      "no due time is recent",
      "0 * * * *",
      "01:00",
      "06:30",
      { start: null, missed: ["01:00", "06:00", 6], next: "07:00" },
    ],
  ])("%s", (_name, expression, dueAt, now, expected) => {
    expect(decide(expression, dueAt, now)).toEqual(expected);
  });

  test("a stored time that is no longer due is skipped, because the zone's rules may have changed", () => {
    expect(decide("0 * * * *", "06:07", "06:08")).toEqual({ start: null, missed: null, next: "07:00" });
  });

  test("a year of missed minutes is counted without a loop over them", () => {
    const now = at("06:00");
    const { start, missed } = decideRuns({ expression: "* * * * *" }, now - 365 * 86_400_000, now);
    expect(start).toBe(now);
    expect(missed?.count).toBe(365 * 1_440);
  });
});

test("an execution is identified by its UTC minute", () => {
  expect(cronTriggerKey(at("06:05"))).toBe("cron:2026-11-21T06:05Z");
});
