import { WEEKDAYS } from "../../../schema/contract/notification-rule.ts";
import type { QuietHours } from "../../../schema/contract/notification-rule.ts";
import { nextRun } from "../cron/index.ts";

const HOUR_MS = 60 * 60_000;
/** Quiet hours last less than a day, and a change of the clock makes one of them longer. */
const LONGEST_MS = 27 * HOUR_MS;

/**
 * When the quiet hours that are at `now` end (epoch ms); null outside of them. Beginning and end are minutes of a
 * schedule, so a change of the clock moves them as it moves scheduled runs.
 */
export function quietUntil(quiet: QuietHours | null | undefined, now: number): number | null {
  if (quiet === null || quiet === undefined) return null;
  const { timeZone: timezone, days } = quiet;
  // In an expression, Sunday is 0.
  const weekdays = days?.map((day) => (WEEKDAYS.indexOf(day) + 1) % WEEKDAYS.length).join(",") ?? "*";
  const begins = { expression: `${minuteOf(quiet.from)} * * ${weekdays}`, timezone };
  const ends = { expression: `${minuteOf(quiet.to)} * * *`, timezone };
  let last: number | null = null;
  for (let at = nextRun(begins, now - LONGEST_MS); at !== null && at <= now; at = nextRun(begins, at)) last = at;
  if (last === null) return null;
  // In the hour that a clock leaves out, both can fall to the same minute: then these hours are empty.
  const isSameDay = quiet.from < quiet.to;
  const end = nextRun(ends, isSameDay ? last - 1 : last);
  return end !== null && now < end ? end : null;
}

/** `7 22` for 22:07. */
function minuteOf(time: string): string {
  const [hour, minute] = time.split(":").map(Number);
  return `${minute} ${hour}`;
}
