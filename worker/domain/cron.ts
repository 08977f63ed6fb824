import type { FieldError } from "../../schema/contract/problem.ts";
import { DAY_MS, dueDays, localDayOf, runsOfDay } from "./cron/local-day.ts";
import { parseCron } from "./cron/parse.ts";
import type { CronTimes } from "./cron/parse.ts";
import { zoneProblem } from "./cron/zone.ts";

/** A cron trigger's schedule; without a time zone it is UTC. */
export interface Schedule {
  readonly expression: string;
  readonly timezone?: string | undefined;
}

/** A leap day may be eight years away (2096 to 2104), and the day may lie in another year by local time. */
const LOOK_AHEAD_DAYS = 8 * 366 + 2;

/** What is wrong with a schedule, by its path: `expression`, `timezone`. */
export function cronProblems({ expression, timezone }: Schedule): FieldError[] {
  const parsed = parseCron(expression);
  const zone = timezone === undefined ? null : zoneProblem(timezone);
  return [
    ...(parsed.ok ? [] : parsed.problems.map((message) => ({ path: "expression", message }))),
    ...(zone === null ? [] : [{ path: "timezone", message: zone }]),
  ];
}

/**
 * The first minute after `afterMs` (epoch ms) at which a schedule is due. Null when there is none within eight years,
 * which no schedule that could be saved comes to. It walks over days, not minutes. Throws for a schedule with problems.
 */
export function nextRun(schedule: Schedule, afterMs: number): number | null {
  const { times, zone } = read(schedule);
  // Where midnight comes twice, a minute of one day may be later than one of the next: both neighbours are looked at.
  const fromDay = localDayOf(zone, afterMs) - DAY_MS;
  let found: number | null = null;
  for (const day of dueDays(times, fromDay, fromDay + LOOK_AHEAD_DAYS * DAY_MS)) {
    if (found !== null && day > localDayOf(zone, found) + DAY_MS) break;
    const moment = runsOfDay(times, zone, day).firstAfter(afterMs);
    if (moment !== null && (found === null || moment < found)) found = moment;
  }
  return found;
}

/** Every minute at which a schedule is due later than `afterMs` and not later than `untilMs`, up to `limit`. */
export function runsBetween(schedule: Schedule, afterMs: number, untilMs: number, limit: number): number[] {
  const runs: number[] = [];
  for (let run = nextRun(schedule, afterMs); run !== null && run <= untilMs && runs.length < limit;) {
    runs.push(run);
    run = nextRun(schedule, run);
  }
  return runs;
}

/** How many there are of them, with the first and the last; null for none. Counts days, not minutes. */
export function countRuns(
  schedule: Schedule,
  afterMs: number,
  untilMs: number,
): { first: number; last: number; count: number } | null {
  const { times, zone } = read(schedule);
  let first = Number.POSITIVE_INFINITY;
  let last = Number.NEGATIVE_INFINITY;
  let count = 0;
  for (const day of dueDays(times, localDayOf(zone, afterMs) - DAY_MS, localDayOf(zone, untilMs) + DAY_MS)) {
    const runs = runsOfDay(times, zone, day);
    const whole = runs.first > afterMs && runs.first > last && runs.last <= untilMs;
    // What the clock jumps over at midnight runs at the same moment as what comes after it on the next day.
    const list = whole ? null : runs.list().filter((run) => run > afterMs && run <= untilMs && run !== last);
    if (list?.length === 0) continue;
    first = Math.min(first, list?.[0] ?? runs.first);
    last = Math.max(last, list?.at(-1) ?? runs.last);
    count += list?.length ?? runs.count;
  }
  return count === 0 ? null : { first, last, count };
}

function read({ expression, timezone = "UTC" }: Schedule): { times: CronTimes; zone: string } {
  const parsed = parseCron(expression);
  if (!parsed.ok) throw new RangeError(`the schedule "${expression}" cannot be read: ${parsed.problems.join("; ")}`);
  return { times: parsed.times, zone: timezone };
}
