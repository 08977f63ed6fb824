import { Cron, CronDate } from "croner";
import type { FieldError } from "../../../schema/contract/problem.ts";
import { BoundedMap } from "../bounded-map.ts";
import { parseCron } from "./parse.ts";
import { canonicalZone, zoneProblem } from "./zone.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** No clock is put back by more, and no clock changes twice within two days. */
const REPEATED_MS = 3 * HOUR_MS;

/** A cron trigger's schedule; without a time zone it is in UTC. */
export interface Schedule {
  readonly expression: string;
  readonly timezone?: string | undefined;
}

/** Minutes at which a schedule is due. Times are epoch ms. */
export interface CountedRuns {
  readonly first: number;
  readonly last: number;
  readonly count: number;
}

/** Problems with a schedule, by path: `expression`, `timezone`. */
export function cronProblems({ expression, timezone }: Schedule): FieldError[] {
  const parsed = parseCron(expression);
  const zone = timezone === undefined ? null : zoneProblem(timezone);
  return [
    ...(parsed.ok ? [] : parsed.problems.map((message) => ({ path: "expression", message }))),
    ...(zone === null ? [] : [{ path: "timezone", message: zone }]),
  ];
}

/** The first minute after `afterMs` (epoch ms) at which a schedule is due. Throws for a schedule with problems. */
export function nextRun(schedule: Schedule, afterMs: number): number | null {
  return nextOf(read(schedule), afterMs);
}

/** Every minute at which a schedule is due later than `afterMs` and not later than `untilMs`, up to `limit`. */
export function runsBetween(schedule: Schedule, afterMs: number, untilMs: number, limit: number): number[] {
  return runsOf(read(schedule), afterMs, untilMs, limit);
}

/**
 * The number of minutes at which a schedule is due in this span, with the first and the last; null for none. It counts
 * by days, except in the hours around a clock change.
 */
export function countRuns(schedule: Schedule, afterMs: number, untilMs: number): CountedRuns | null {
  const plan = read(schedule);
  const first = nextOf(plan, afterMs);
  if (first === null || first > untilMs) return null;
  const last =
    zonedOf(plan)
      .previousRuns(1, new Date(untilMs + 1))[0]
      ?.getTime() ?? first;
  let count = 0;
  for (let at = afterMs, end = at; at < untilMs; at = end) {
    const isPlainDay = isSteady(plan.zone, at - DAY_MS, at + DAY_MS);
    end = Math.min(at + (isPlainDay ? DAY_MS : HOUR_MS), untilMs);
    if (!isPlainDay && !isSteady(plan.zone, at - REPEATED_MS, end)) {
      count += runsOf(plan, at, end).length;
      continue;
    }
    const [from, until] = [at + offsetAt(plan.zone, at), end + offsetAt(plan.zone, at)];
    for (let day = Math.floor(from / DAY_MS) * DAY_MS; day <= until; day += DAY_MS) {
      if (!plan.dates.match(new Date(day))) continue;
      count += plan.minutesOfDay.filter((minute) => day + minute > from && day + minute <= until).length;
    }
  }
  return { first, last, count };
}

/** A schedule for croner: its pattern, and its dates as midnights in UTC. */
interface Plan {
  readonly pattern: string;
  readonly dates: Cron;
  readonly minutesOfDay: readonly number[];
  readonly zone: string;
}

const plans = new BoundedMap<string, Omit<Plan, "zone">>(500);
/** Making a Cron takes up to 80 kB and 30 µs. Many schedules have the same dates. */
const datesByDays = new BoundedMap<string, Cron>(100);

function read({ expression, timezone = "UTC" }: Schedule): Plan {
  const zone = canonicalZone(timezone);
  if (zone === null) throw new RangeError(`there is no time zone ${timezone}`);
  const plan = plans.get(expression) ?? planOf(expression);
  plans.set(expression, plan);
  return { ...plan, zone };
}

/** croner runs lists of hours once for each local time, and lets `*` and steps follow a clock change. */
function planOf(expression: string): Omit<Plan, "zone"> {
  const parsed = parseCron(expression);
  if (!parsed.ok) throw new RangeError(`the schedule "${expression}" cannot be read: ${parsed.problems.join("; ")}`);
  const { minutes, hours, daysOfMonth, months, daysOfWeek, restrictsDayOfMonth, restrictsDayOfWeek } = parsed.times;
  const days = [restrictsDayOfMonth ? daysOfMonth : "*", months, restrictsDayOfWeek ? daysOfWeek : "*"].join(" ");
  const pattern = `${minutes.join(",")} ${hours.length === 24 ? "*" : hours.join(",")} ${days}`;
  const minutesOfDay = hours.flatMap((hour) => minutes.map((minute) => (hour * 60 + minute) * MINUTE_MS));
  const dates = datesByDays.get(days) ?? new Cron(`0 0 ${days}`, { utcOffset: 0 });
  datesByDays.set(days, dates);
  return { pattern, dates, minutesOfDay };
}

/** croner is ten times slower in a zone than in UTC, so the zone is used only for days around a clock change. */
function nextOf(plan: Plan, afterMs: number): number | null {
  const local = nextLocal(plan, afterMs + offsetAt(plan.zone, afterMs));
  if (local === null) return null;
  // A clock change soon after `afterMs` may repeat the last minutes of the day before.
  if (isSteady(plan.zone, afterMs, afterMs + DAY_MS) && isSteady(plan.zone, local - DAY_MS, local + DAY_MS)) {
    return local - offsetAt(plan.zone, local);
  }
  return zonedOf(plan).nextRun(new Date(afterMs))?.getTime() ?? null;
}

function nextLocal({ dates, minutesOfDay }: Plan, after: number): number | null {
  const today = Math.floor(after / DAY_MS) * DAY_MS;
  const minute = dates.match(new Date(today)) ? minutesOfDay.find((time) => today + time > after) : undefined;
  if (minute !== undefined) return today + minute;
  const date = dates.nextRun(new Date(today))?.getTime();
  return date === undefined ? null : date + (minutesOfDay[0] ?? 0);
}

function zonedOf({ pattern, zone }: Plan): Cron {
  return new Cron(pattern, { timezone: zone, fixedTimeRule: "no-wildcard" });
}

function runsOf(plan: Plan, afterMs: number, untilMs: number, limit = Number.POSITIVE_INFINITY): number[] {
  const runs: number[] = [];
  for (let run = nextOf(plan, afterMs); run !== null && run <= untilMs && runs.length < limit;) {
    runs.push(run);
    run = nextOf(plan, run);
  }
  return runs;
}

/** Whether the clock does not change within a span of at most two days. */
function isSteady(zone: string, fromMs: number, untilMs: number): boolean {
  return offsetAt(zone, fromMs) === offsetAt(zone, untilMs);
}

/** The offset of local time from UTC at a moment, in milliseconds. */
function offsetAt(zone: string, atMs: number): number {
  if (zone === "UTC") return 0;
  const { year, month, day, hour, minute, second } = new CronDate(new Date(atMs), zone);
  return Date.UTC(year, month, day, hour, minute, second) - Math.floor(atMs / 1_000) * 1_000;
}
