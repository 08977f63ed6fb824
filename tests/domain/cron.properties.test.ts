import { expect, test } from "bun:test";
import fc from "fast-check";
import { countRuns, cronProblems, nextRun, runsBetween } from "../../worker/domain/cron/index.ts";

/** Moments (UTC) near which a zone's clock changes, with every kind of change. */
const CHANGES: readonly [zone: string, at: string][] = [
  ["UTC", "2026-02-28T23:00Z"],
  ["Asia/Kolkata", "2026-12-31T18:30Z"],
  ["Europe/Berlin", "2026-03-29T01:00Z"],
  ["Europe/Berlin", "2026-10-25T01:00Z"],
  ["America/New_York", "2026-03-08T07:00Z"],
  ["America/New_York", "2026-11-01T06:00Z"],
  ["Australia/Lord_Howe", "2026-10-03T15:30Z"],
  ["Australia/Lord_Howe", "2026-04-04T15:00Z"],
  ["Africa/Cairo", "2024-04-25T22:00Z"],
  ["Africa/Cairo", "2024-10-31T21:00Z"],
  ["America/Sao_Paulo", "2018-11-04T03:00Z"],
  ["America/Sao_Paulo", "2018-02-18T02:00Z"],
  ["America/St_Johns", "2006-04-02T03:31Z"],
  ["America/St_Johns", "2006-10-29T02:31Z"],
  ["Antarctica/Troll", "2026-03-29T01:00Z"],
  ["Pacific/Apia", "2011-12-30T10:00Z"],
  ["America/Nuuk", "2026-03-29T01:00Z"],
  ["Asia/Gaza", "2023-10-27T23:00Z"],
  ["Africa/Casablanca", "2026-02-15T02:00Z"],
];

const MINUTE_MS = 60_000;
const DAY_MS = 1_440 * MINUTE_MS;

interface Field {
  text: string;
  values: ReadonlySet<number>;
  star: boolean;
}

function field(min: number, max: number): fc.Arbitrary<Field> {
  const all = Array.from({ length: max - min + 1 }, (_, index) => min + index);
  const number = fc.integer({ min, max });
  return fc.oneof(
    fc.constant({ text: "*", values: new Set(all), star: true }),
    fc.integer({ min: 1, max }).map((step) => ({
      text: `*/${step}`,
      values: new Set(all.filter((value) => (value - min) % step === 0)),
      star: step === 1,
    })),
    fc.tuple(number, number).map(([a, b]) => {
      const [first, last] = a < b ? [a, b] : [b, a];
      return {
        text: `${first}-${last}`,
        values: new Set(all.filter((value) => value >= first && value <= last)),
        star: false,
      };
    }),
    fc.array(number, { minLength: 1, maxLength: 4 }).map((values) => ({
      text: values.join(","),
      values: new Set(values),
      star: false,
    })),
  );
}

const fields = fc.tuple(field(0, 59), field(0, 23), field(1, 31), field(1, 12), field(0, 6));
const place = fc
  .tuple(fc.constantFrom(...CHANGES), fc.integer({ min: -1_500, max: 300 }))
  .map(([[zone, at], shift]) => ({ zone, from: Date.parse(at) + shift * MINUTE_MS }));

/**
 * The same result from a loop over real minutes and their local times. A schedule that names hours runs when the
 * clock first reaches a local minute. Minutes of the same day that the clock skips run right after the jump.
 */
function walk([minute, hour, dayOfMonth, month, dayOfWeek]: Field[], zone: string, from: number, until: number) {
  const matches = (local: number) => {
    const date = new Date(local);
    const byMonth = dayOfMonth?.values.has(date.getUTCDate()) === true;
    const byWeek = dayOfWeek?.values.has(date.getUTCDay()) === true;
    const either = dayOfMonth?.star === false && dayOfWeek?.star === false;
    return (
      minute?.values.has(date.getUTCMinutes()) === true &&
      hour?.values.has(date.getUTCHours()) === true &&
      month?.values.has(date.getUTCMonth() + 1) === true &&
      (either ? byMonth || byWeek : byMonth && byWeek)
    );
  };
  const everyHour = hour?.values.size === 24;
  const runs: number[] = [];
  let reached = Number.NaN;
  for (let at = Math.ceil((from - DAY_MS) / MINUTE_MS) * MINUTE_MS; at <= until; at += MINUTE_MS) {
    const local = localTime(zone, at);
    let due = everyHour && matches(local);
    let passed = everyHour ? local : reached;
    while (passed < local && !due) {
      passed += MINUTE_MS;
      due = matches(passed) && Math.floor(passed / DAY_MS) === Math.floor(local / DAY_MS);
    }
    if (due && at > from) runs.push(at);
    reached = Number.isNaN(reached) ? local : Math.max(reached, local);
  }
  return runs;
}

const formatters = new Map<string, Intl.DateTimeFormat>();

/** The local clock's time, as if it were UTC. */
function localTime(zone: string, at: number): number {
  const formatter =
    formatters.get(zone) ??
    new Intl.DateTimeFormat("en-GB", { timeZone: zone, dateStyle: "short", timeStyle: "medium", hourCycle: "h23" });
  formatters.set(zone, formatter);
  const [day = 0, month = 0, year = 0, hour = 0, minute = 0] = formatter.format(at).split(/\D+/u).map(Number);
  return Date.UTC(year, month - 1, day, hour, minute);
}

test("runs equal those of a loop over every minute, in every zone, around every change of the clock", () => {
  fc.assert(
    fc.property(fields, place, (parts, { zone, from }) => {
      const schedule = { expression: parts.map((part) => part.text).join(" "), timezone: zone };
      const until = from + 2 * DAY_MS;
      if (cronProblems(schedule).length > 0) return;
      const walked = walk(parts, zone, from, until);
      expect(runsBetween(schedule, from, until, Number.POSITIVE_INFINITY)).toEqual(walked);
      const [first] = walked;
      const last = walked.at(-1);
      const counted = first === undefined || last === undefined ? null : { first, last, count: walked.length };
      expect(countRuns(schedule, from, until)).toEqual(counted);
    }),
    { numRuns: 100 },
  );
});

test("a valid schedule is due again within eight years, at a later whole minute", () => {
  fc.assert(
    fc.property(fields, place, (parts, { zone, from }) => {
      const schedule = { expression: parts.map((part) => part.text).join(" "), timezone: zone };
      if (cronProblems(schedule).length > 0) return;
      const next = nextRun(schedule, from);
      expect(next).toBeGreaterThan(from);
      expect(Number(next) % MINUTE_MS).toBe(0);
      expect(Number(next) - from).toBeLessThan(8 * 366 * DAY_MS);
    }),
    { numRuns: 500 },
  );
});
