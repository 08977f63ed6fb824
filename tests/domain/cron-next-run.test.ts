import { describe, expect, test } from "bun:test";
import { countRuns, nextRun, runsBetween } from "../../worker/domain/cron/index.ts";

const next = (expression: string, timezone: string | undefined, after: string) => {
  const at = nextRun({ expression, timezone }, Date.parse(after));
  return at === null ? null : new Date(at).toISOString().replace(":00.000Z", "Z");
};

describe("the next run", () => {
  test.each([
    ["* * * * *", "2026-11-21T06:05:00Z", "2026-11-21T06:06Z"],
    ["* * * * *", "2026-11-21T06:04:59.999Z", "2026-11-21T06:05Z"],
    ["* * * * *", "2026-12-31T23:59:30Z", "2027-01-01T00:00Z"],
    ["*/5 * * * *", "2026-11-21T06:05:00Z", "2026-11-21T06:10Z"],
    ["*/5 * * * *", "2026-11-21T06:59:59Z", "2026-11-21T07:00Z"],
    ["*/45 * * * *", "2026-11-21T06:45:00Z", "2026-11-21T07:00Z"],
    ["0 * * * *", "2026-11-21T23:00:00Z", "2026-11-22T00:00Z"],
    ["30 6 * * *", "2026-11-21T06:29:59Z", "2026-11-21T06:30Z"],
    ["30 6 * * *", "2026-11-21T06:30:00Z", "2026-11-22T06:30Z"],
    ["0 0 * * *", "2026-02-28T12:00:00Z", "2026-03-01T00:00Z"],
    ["0 9 * * 1", "2026-11-21T00:00:00Z", "2026-11-23T09:00Z"],
    ["0 9 * * 0", "2026-11-22T09:00:00Z", "2026-11-29T09:00Z"],
    ["0 12 1 * *", "2026-11-21T00:00:00Z", "2026-12-01T12:00Z"],
    ["0 0 31 * *", "2026-03-31T00:00:00Z", "2026-05-31T00:00Z"],
    ["0 0 29 2 *", "2026-01-01T00:00:00Z", "2028-02-29T00:00Z"],
    ["0 0 29 2 *", "2096-02-29T00:00:00Z", "2104-02-29T00:00Z"],
    ["59 23 31 12 *", "2026-12-31T23:59:00Z", "2027-12-31T23:59Z"],
    ["0 9-17 * * 1-5", "2026-11-20T17:00:00Z", "2026-11-23T09:00Z"],
    ["10,40 8,20 * * *", "2026-11-21T08:10:00Z", "2026-11-21T08:40Z"],
    ["10,40 8,20 * * *", "2026-11-21T08:40:00Z", "2026-11-21T20:10Z"],
    ["0 0 * 6 *", "2026-07-01T00:00:00Z", "2027-06-01T00:00Z"],
  ])("UTC: %s after %s is %s", (expression, after, expected) => {
    expect(next(expression, undefined, after)).toBe(expected);
  });

  // November 2026 begins on a Sunday.
  test.each([
    ["0 0 13 * 5", "2026-11-07T00:00:00Z", "2026-11-13T00:00Z", "the 13th, which is a Friday"],
    ["0 0 15 * 1", "2026-11-09T00:00:00Z", "2026-11-15T00:00Z", "the 15th, on any weekday"],
    ["0 0 15 * 1", "2026-11-15T00:00:00Z", "2026-11-16T00:00Z", "a Monday, on any date"],
    ["0 0 */2 * 1", "2026-11-01T00:00:00Z", "2026-11-02T00:00Z", "every second day restricts, so a Monday is enough"],
    ["0 0 */1 * 1", "2026-11-03T00:00:00Z", "2026-11-09T00:00Z", "every day is no restriction"],
    ["0 0 1-31 * 1", "2026-11-03T00:00:00Z", "2026-11-04T00:00Z", "a range restricts, even one of all days"],
    ["0 0 31 2 1", "2026-02-10T00:00:00Z", "2026-02-16T00:00Z", "a Monday of February"],
    ["0 0 10 * *", "2026-11-02T00:00:00Z", "2026-11-10T00:00Z", "the date alone"],
  ])("days: %s after %s is %s (%s)", (expression, after, expected) => {
    expect(next(expression, undefined, after)).toBe(expected);
  });

  test.each([
    ["0 9 * * *", "Asia/Kolkata", "2026-11-21T00:00:00Z", "2026-11-21T03:30Z"],
    ["0 0 1 * *", "Asia/Kolkata", "2026-11-21T00:00:00Z", "2026-11-30T18:30Z"],
    ["0 0 1 1 *", "Pacific/Kiritimati", "2026-06-01T00:00:00Z", "2026-12-31T10:00Z"],
    ["0 23 * * 6", "Pacific/Pago_Pago", "2026-11-21T00:00:00Z", "2026-11-22T10:00Z"],
    ["0 9 * * 1", "America/New_York", "2026-11-21T00:00:00Z", "2026-11-23T14:00Z"],
    ["0 9 * * 1", "America/New_York", "2026-07-04T00:00:00Z", "2026-07-06T13:00Z"],
    ["15 * * * *", "Asia/Kathmandu", "2026-11-21T06:00:00Z", "2026-11-21T06:30Z"],
  ])("zones: %s in %s after %s is %s", (expression, zone, after, expected) => {
    expect(next(expression, zone, after)).toBe(expected);
  });
});

/** All runs of some hours around a change of the clock, as UTC. */
function around(expression: string, timezone: string, from: string, hours: number): string[] {
  const after = Date.parse(from) - 1;
  const runs = runsBetween({ expression, timezone }, after, after + hours * 3_600_000, 10_000);
  return runs.map((run) => new Date(run).toISOString().slice(5, 16));
}

describe("runs around a clock that is put forward", () => {
  test.each([
    // Berlin, 29 March 2026: 02:00 becomes 03:00 at 01:00 UTC.
    ["30 2 * * *", "Europe/Berlin", "2026-03-28T22:00Z", 24, ["03-29T01:00"]],
    ["0 2 * * *", "Europe/Berlin", "2026-03-28T22:00Z", 24, ["03-29T01:00"]],
    ["0 3 * * *", "Europe/Berlin", "2026-03-28T22:00Z", 24, ["03-29T01:00"]],
    ["59 1 * * *", "Europe/Berlin", "2026-03-28T22:00Z", 24, ["03-29T00:59"]],
    ["*/15 2 * * *", "Europe/Berlin", "2026-03-28T22:00Z", 24, ["03-29T01:00"]],
    ["0 2,3 * * *", "Europe/Berlin", "2026-03-28T22:00Z", 24, ["03-29T01:00"]],
    ["0 */2 * * *", "Europe/Berlin", "2026-03-28T23:00Z", 5, ["03-28T23:00", "03-29T01:00", "03-29T02:00"]],
    [
      "30 * * * *",
      "Europe/Berlin",
      "2026-03-28T23:00Z",
      4,
      ["03-28T23:30", "03-29T00:30", "03-29T01:30", "03-29T02:30"],
    ],
    // New York, 8 March 2026: 02:00 becomes 03:00 at 07:00 UTC.
    ["15 2 * * 0", "America/New_York", "2026-03-07T12:00Z", 48, ["03-08T07:00"]],
    // Lord Howe, 4 October 2026: 02:00 becomes 02:30 at 15:30 UTC of the day before.
    ["15 2 * * *", "Australia/Lord_Howe", "2026-10-03T10:00Z", 24, ["10-03T15:30"]],
    [
      "15 * * * *",
      "Australia/Lord_Howe",
      "2026-10-03T13:30Z",
      4,
      ["10-03T13:45", "10-03T14:45", "10-03T16:15", "10-03T17:15"],
    ],
    // Cairo, 26 April 2024: midnight becomes 01:00 at 22:00 UTC of the day before.
    ["0 0 * * *", "Africa/Cairo", "2024-04-25T12:00Z", 36, ["04-25T22:00", "04-26T21:00"]],
    ["0 0 26 4 *", "Africa/Cairo", "2024-04-25T12:00Z", 36, ["04-25T22:00"]],
    // São Paulo, 4 November 2018: midnight becomes 01:00 at 03:00 UTC.
    ["30 0 * * 0", "America/Sao_Paulo", "2018-11-03T12:00Z", 36, ["11-04T03:00"]],
    // A jump that ends on another day brings no run (docs/decisions/0013-croner.md): Nuuk, 28 March 2026, 23:00 becomes
    // midnight at 01:00 UTC. Apia had no 30 December 2011 at all.
    ["30 23 * * *", "America/Nuuk", "2026-03-28T00:00Z", 72, ["03-28T01:30", "03-30T00:30"]],
    ["0 0 * * *", "America/Nuuk", "2026-03-28T12:00Z", 24, ["03-29T01:00"]],
    ["0 9 * * *", "Pacific/Apia", "2011-12-29T12:00Z", 48, ["12-29T19:00", "12-30T19:00"]],
  ])("%s in %s", (expression, zone, from, hours, expected) => {
    expect(around(expression, zone, from, hours)).toEqual(expected);
  });
});

describe("runs around a clock that is put back", () => {
  test.each([
    // Berlin, 25 October 2026: 03:00 becomes 02:00 at 01:00 UTC.
    ["30 2 * * *", "Europe/Berlin", "2026-10-24T22:00Z", 24, ["10-25T00:30"]],
    ["0 3 * * *", "Europe/Berlin", "2026-10-24T22:00Z", 24, ["10-25T02:00"]],
    ["*/30 2 * * *", "Europe/Berlin", "2026-10-24T22:00Z", 24, ["10-25T00:00", "10-25T00:30"]],
    ["0 */2 * * *", "Europe/Berlin", "2026-10-24T22:00Z", 6, ["10-24T22:00", "10-25T00:00", "10-25T03:00"]],
    [
      "30 * * * *",
      "Europe/Berlin",
      "2026-10-24T23:00Z",
      4,
      ["10-24T23:30", "10-25T00:30", "10-25T01:30", "10-25T02:30"],
    ],
    ["30 0-23 * * *", "Europe/Berlin", "2026-10-25T00:00Z", 2, ["10-25T00:30", "10-25T01:30"]],
    // New York, 1 November 2026: 02:00 becomes 01:00 at 06:00 UTC.
    ["30 1 1 11 *", "America/New_York", "2026-10-31T12:00Z", 48, ["11-01T05:30"]],
    // Lord Howe, 5 April 2026: 02:00 becomes 01:30 at 15:00 UTC of the day before.
    ["45 1 * * *", "Australia/Lord_Howe", "2026-04-04T10:00Z", 24, ["04-04T14:45"]],
    ["45 * * * *", "Australia/Lord_Howe", "2026-04-04T14:00Z", 3, ["04-04T14:45", "04-04T15:15", "04-04T16:15"]],
    // Cairo, 31 October 2024: midnight becomes 23:00 at 21:00 UTC.
    ["30 23 * * *", "Africa/Cairo", "2024-10-31T12:00Z", 24, ["10-31T20:30"]],
    ["30 * * * *", "Africa/Cairo", "2024-10-31T20:00Z", 3, ["10-31T20:30", "10-31T21:30", "10-31T22:30"]],
    ["0 0 * * *", "Africa/Cairo", "2024-10-31T12:00Z", 24, ["10-31T22:00"]],
    // St. John's, 29 October 2006: 00:01 becomes 23:01 of the day before at 02:31 UTC.
    [
      "0 * * * *",
      "America/St_Johns",
      "2006-10-29T01:00Z",
      4,
      ["10-29T01:30", "10-29T02:30", "10-29T03:30", "10-29T04:30"],
    ],
  ])("%s in %s", (expression, zone, from, hours, expected) => {
    expect(around(expression, zone, from, hours)).toEqual(expected);
  });
});

test("where midnight comes twice, the first minute of a day comes before the last minutes of the previous day", () => {
  // St. John's, 29 October 2006: 00:01 becomes 23:01 at 02:31 UTC.
  const runs = around("0,30 * * * *", "America/St_Johns", "2006-10-29T02:00Z", 2);
  expect(runs).toEqual(["10-29T02:00", "10-29T02:30", "10-29T03:00", "10-29T03:30"]);
});

test("a schedule that skips the next day still runs in the last minutes that a second midnight repeats", () => {
  expect(next("1 * * * 2-6", "America/St_Johns", "2006-10-29T02:30Z")).toBe("2006-10-29T02:31Z");
});

describe("counting", () => {
  test("runs of two days at the same moment count as one run", () => {
    // In Apia the midnights of the skipped day and of the next day are both the moment of the jump.
    const from = Date.parse("2011-12-29T12:00Z");
    const counted = countRuns({ expression: "0 0 * * *", timezone: "Pacific/Apia" }, from, from + 48 * 3_600_000);
    expect(counted).toEqual({
      first: Date.parse("2011-12-30T10:00Z"),
      last: Date.parse("2011-12-31T10:00Z"),
      count: 2,
    });
  });

  test("a long outage is counted without a loop over its minutes", () => {
    const from = Date.UTC(2016, 0, 1);
    const until = Date.UTC(2026, 0, 1);
    expect(countRuns({ expression: "* * * * *", timezone: "Europe/Berlin" }, from, until)).toEqual({
      first: from + 60_000,
      last: until,
      count: (until - from) / 60_000,
    });
  });

  test("a span without due times counts no run", () => {
    const from = Date.UTC(2026, 0, 2);
    expect(countRuns({ expression: "0 0 1 * *" }, from, Date.UTC(2026, 0, 31))).toBeNull();
    expect(runsBetween({ expression: "0 0 1 * *" }, from, Date.UTC(2026, 0, 31), 10)).toEqual([]);
  });

  test("a list of runs ends at its limit", () => {
    expect(runsBetween({ expression: "* * * * *" }, 0, Number.POSITIVE_INFINITY, 3)).toEqual([
      60_000, 120_000, 180_000,
    ]);
  });

  test("an unreadable expression throws and does not count as never due", () => {
    expect(() => nextRun({ expression: "@daily" }, 0)).toThrow(/cannot be read/u);
    expect(() => nextRun({ expression: "* * * * *", timezone: "Mars/Phobos" }, 0)).toThrow(/no time zone/u);
  });
});
