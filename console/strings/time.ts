import { count } from "./format.ts";
import { LOCALE } from "./locale.ts";

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const UNITS = [
  ["d", DAY_MS],
  ["h", HOUR_MS],
  ["min", MINUTE_MS],
  ["s", SECOND_MS],
] as const;

// Never "tomorrow": 30 hours from now may be the day after tomorrow.
const relative = new Intl.RelativeTimeFormat(LOCALE, { numeric: "always" });
const exact = new Intl.DateTimeFormat(LOCALE, { dateStyle: "medium", timeStyle: "long" });
const day = new Intl.DateTimeFormat(LOCALE, { dateStyle: "medium" });
const dayOfWeek = new Intl.DateTimeFormat(LOCALE, { weekday: "long", timeZone: "UTC" });
const monthOfYear = new Intl.DateTimeFormat(LOCALE, { month: "long", timeZone: "UTC" });
const minute = new Intl.DateTimeFormat(LOCALE, { timeStyle: "short" });
const millisecond = new Intl.DateTimeFormat(LOCALE, {
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
  fractionalSecondDigits: 3,
});

/** "27 Nov 2026, 10:42:05 GMT+1". */
export function exactTime(at: string): string {
  return exact.format(new Date(at));
}

/** "27 Nov 2026, 10:42", where the zone is shown elsewhere. */
export function shortTime(at: string): string {
  return `${date(at)}, ${timeOfDay(at)}`;
}

/** "27 Nov 2026". */
export function date(at: string): string {
  return day.format(new Date(at));
}

/** "10:42". */
export function timeOfDay(at: string): string {
  return minute.format(new Date(at));
}

/** The time of day, after the date unless that is today: "10:42". */
export function clockTime(at: string, now: number): string {
  const isToday = day.format(new Date(at)) === day.format(now);
  return isToday ? timeOfDay(at) : shortTime(at);
}

/** The time of day to the millisecond, after the date unless that is today: "10:42:05.120". */
export function stageTime(at: string, now: number): string {
  const time = millisecond.format(new Date(at));
  const date = day.format(new Date(at));
  return date === day.format(now) ? time : `${date}, ${time}`;
}

/** "Monday", from 0 for Sunday. */
export function weekday(value: number): string {
  // A Sunday.
  return dayOfWeek.format(Date.UTC(2023, 0, 1 + value));
}

/** "January", from 1. */
export function month(value: number): string {
  return monthOfYear.format(Date.UTC(2023, value - 1));
}

/** An instant in a time zone: "Mon, 23 Nov 2026, 09:00 GMT+1". The zone's name is left out where a heading has it. */
export function zonedTime(at: string | number, timeZone: string, { zone = true } = {}): string {
  return new Intl.DateTimeFormat(LOCALE, {
    timeZone,
    weekday: "short",
    day: "numeric",
    month: "short",
    year: "numeric",
    hour: "2-digit",
    minute: "2-digit",
    ...(zone ? { timeZoneName: "short" } : {}),
  }).format(new Date(at));
}

/** The time zone of the browser: "Europe/Berlin". */
export function viewersZone(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/** The names of all time zones, UTC first, with one that has been chosen. */
export function zonesWith(zone: string | undefined): string[] {
  return [...new Set(["UTC", ...(zone === undefined ? [] : [zone]), ...Intl.supportedValuesOf("timeZone")])];
}

/** A time relative to `now`, both in epoch ms: "in 5 minutes", "1 day ago". */
export function ago(at: number, now: number): string {
  const distance = at - now;
  const size = Math.abs(distance);
  if (size < 10 * SECOND_MS) return "just now";
  // Each unit is left before rounding would fill it: "1 hour ago", never "60 minutes ago".
  if (Math.round(size / SECOND_MS) < 60) return relative.format(Math.round(distance / SECOND_MS), "second");
  if (Math.round(size / MINUTE_MS) < 60) return relative.format(Math.round(distance / MINUTE_MS), "minute");
  if (Math.round(size / HOUR_MS) < 24) return relative.format(Math.round(distance / HOUR_MS), "hour");
  return relative.format(Math.round(distance / DAY_MS), "day");
}

/** How long something took, rounded once to what is shown: "420 ms", "4.2 s", "3 min 5 s", "2 h". */
export function duration(ms: number): string {
  const whole = Math.max(0, Math.round(ms));
  if (whole < SECOND_MS) return `${whole} ms`;
  if (Math.round(whole / 100) < 100) return `${(whole / SECOND_MS).toFixed(1)} s`;
  const seconds = Math.round(whole / SECOND_MS);
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 60 * 60) return split(seconds, 60, "min", "s");
  const minutes = Math.round(whole / MINUTE_MS);
  if (minutes < 24 * 60) return split(minutes, 60, "h", "min");
  return split(Math.round(whole / HOUR_MS), 24, "d", "h");
}

/** A duration on an axis whose ticks are `stepMs` apart, as precise as the ticks: "0", "500 ms", "10.5 s", "1 h 30 s". */
export function tickLabel(ms: number, stepMs: number): string {
  if (ms === 0) return "0";
  if (stepMs < SECOND_MS) {
    if (ms < SECOND_MS) return duration(ms);
    return `${(ms / SECOND_MS).toFixed(stepMs >= 100 ? 1 : stepMs >= 10 ? 2 : 3)} s`;
  }
  let rest = Math.round(ms / SECOND_MS) * SECOND_MS;
  const parts: string[] = [];
  for (const [unit, unitMs] of UNITS) {
    const amount = Math.floor(rest / unitMs);
    rest -= amount * unitMs;
    if (amount > 0) parts.push(`${amount} ${unit}`);
  }
  return parts.join(" ");
}

/** A whole number of a smaller unit as one or two units. */
function split(amount: number, size: number, larger: string, smaller: string): string {
  const rest = amount % size;
  const whole = `${Math.floor(amount / size)} ${larger}`;
  return rest === 0 ? whole : `${whole} ${rest} ${smaller}`;
}

/** A setting of whole seconds in the largest unit that fits: "90 seconds", "1 hour", "2 days". */
export function spelledDuration(seconds: number): string {
  const units = [
    [86_400, "day"],
    [3_600, "hour"],
    [60, "minute"],
  ] as const;
  for (const [size, unit] of units) {
    if (seconds >= size && seconds % size === 0) return count(seconds / size, unit);
  }
  return count(seconds, "second");
}
