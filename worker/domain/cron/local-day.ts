import type { CronTimes } from "./parse.ts";
import { offsetAt } from "./zone.ts";

const MINUTE_MS = 60_000;
export const DAY_MS = 24 * 60 * MINUTE_MS;
const HOURS_OF_DAY = 24;
/** Local time is at most 14 hours ahead of UTC and 12 behind, so no moment of a local day lies outside of this. */
const AHEAD_MS = 14 * 60 * MINUTE_MS;
const BEHIND_MS = 12 * 60 * MINUTE_MS;

/** How a zone's clock goes on one local day: by `before` up to `changesAt`, and by `after` from then on. */
interface Clock {
  before: number;
  after: number;
  /** Epoch ms; infinite when the clock is not changed. */
  changesAt: number;
}

/** The runs of one local day: what a plain day's are needs no list. */
export interface DayRuns {
  readonly count: number;
  readonly first: number;
  readonly last: number;
  /** Moments in rising order, each once. */
  list(): number[];
  /** The first one later than `afterMs`. */
  firstAfter(afterMs: number): number | null;
}

/**
 * When a schedule is due on one local day, which is given as its midnight in UTC. Where the clock is changed:
 * a schedule that names hours runs once for every local time that it names. One that the clock jumps over runs in the
 * first minute after the jump, one that comes twice runs the first time. A schedule of every hour follows the clock: it
 * leaves out what is jumped over, and runs again in what comes twice.
 */
export function runsOfDay(times: CronTimes, zone: string, day: number): DayRuns {
  const clock = clockOf(zone, day);
  if (clock.changesAt === Number.POSITIVE_INFINITY) return plainDay(times, day - clock.before);
  const everyHour = times.hours.length === HOURS_OF_DAY;
  const moments = new Set<number>();
  for (const hour of times.hours) {
    for (const minute of times.minutes) {
      const local = day + (hour * 60 + minute) * MINUTE_MS;
      for (const moment of everyHour ? everyMomentOf(local, clock) : [oneMomentOf(local, clock)]) moments.add(moment);
    }
  }
  return listed([...moments].sort((a, b) => a - b));
}

/** Midnights of the days (as UTC) on which a schedule may be due, from one on and not past another. */
export function* dueDays(times: CronTimes, fromDay: number, untilDay: number): Generator<number> {
  for (let day = fromDay; day <= untilDay; day += DAY_MS) {
    const date = new Date(day);
    if (!times.months.has(date.getUTCMonth() + 1)) {
      day = Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1) - DAY_MS;
    } else if (isDueOn(times, date)) yield day;
  }
}

/** The midnight (as UTC) of the local day that a moment lies in. */
export function localDayOf(zone: string, atMs: number): number {
  return Math.floor((atMs + offsetAt(zone, atMs)) / DAY_MS) * DAY_MS;
}

function isDueOn(times: CronTimes, date: Date): boolean {
  const byMonth = times.daysOfMonth.has(date.getUTCDate());
  const byWeek = times.daysOfWeek.has(date.getUTCDay());
  return times.restrictsDayOfMonth && times.restrictsDayOfWeek ? byMonth || byWeek : byMonth && byWeek;
}

/** No zone has ever changed its clock twice within two days, so equal ends mean that nothing happens between them. */
function clockOf(zone: string, day: number): Clock {
  let low = day - AHEAD_MS;
  let high = day + DAY_MS + BEHIND_MS;
  const before = offsetAt(zone, low);
  const after = offsetAt(zone, high);
  if (before === after) return { before, after, changesAt: Number.POSITIVE_INFINITY };
  while (high - low > MINUTE_MS) {
    const middle = low + Math.floor((high - low) / 2 / MINUTE_MS) * MINUTE_MS;
    if (offsetAt(zone, middle) === before) low = middle;
    else high = middle;
  }
  return { before, after, changesAt: high };
}

function everyMomentOf(local: number, clock: Clock): number[] {
  const early = local - clock.before;
  const late = local - clock.after;
  return [...(early < clock.changesAt ? [early] : []), ...(late >= clock.changesAt ? [late] : [])];
}

function oneMomentOf(local: number, clock: Clock): number {
  return everyMomentOf(local, clock)[0] ?? clock.changesAt;
}

function plainDay({ hours, minutes }: CronTimes, midnight: number): DayRuns {
  const at = (hour: number, minute: number) => midnight + (hour * 60 + minute) * MINUTE_MS;
  return {
    count: hours.length * minutes.length,
    first: at(hours[0] ?? 0, minutes[0] ?? 0),
    last: at(hours.at(-1) ?? 0, minutes.at(-1) ?? 0),
    list: () => hours.flatMap((hour) => minutes.map((minute) => at(hour, minute))),
    firstAfter: (afterMs) => {
      const hour = hours.find((hour) => at(hour, minutes.at(-1) ?? 0) > afterMs);
      const minute = hour === undefined ? undefined : minutes.find((minute) => at(hour, minute) > afterMs);
      return hour === undefined || minute === undefined ? null : at(hour, minute);
    },
  };
}

function listed(moments: readonly number[]): DayRuns {
  return {
    count: moments.length,
    first: moments[0] ?? Number.NaN,
    last: moments.at(-1) ?? Number.NaN,
    list: () => [...moments],
    firstAfter: (afterMs) => moments.find((moment) => moment > afterMs) ?? null,
  };
}
