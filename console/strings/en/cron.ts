import { list, ordinal } from "../format.ts";
import { month, weekday } from "../time.ts";

/** Schedules as text, and their form. */
export const cron = {
  invalid: (expression: string) => `Invalid schedule: ${expression}`,
  inZone: (schedule: string, zone: string) => `${schedule} (${zone})`,
  sentence: (schedule: string) => `${schedule}.`,

  // When in the day.
  everyMinutes: (minutes: number) => (minutes === 1 ? "Every minute" : `Every ${minutes} minutes`),
  everyHours: (hours: number) => (hours === 1 ? "Every hour" : `Every ${hours} hours`),
  everyHourFrom: (first: string, last: string) => `Every hour from ${first} to ${last}`,
  at: (times: readonly string[]) => `At ${list(times)}`,
  atMinutes: (minutes: readonly number[]) => `at ${minuteNames(minutes)}`,
  atMinutesIn: (minutes: readonly number[], hours: string) => `At ${minuteNames(minutes)}, ${hours}`,
  inEveryHour: (hours: number) => `in every ${ordinal(hours)} hour`,
  fromTo: (first: string, last: string) => `from ${first} to ${last}`,
  inHours: (hours: readonly number[]) => `in the hours ${list(hours)}`,

  // On which days.
  onDays: (days: string) => ` on ${days}`,
  onEither: (daysOfMonth: string, daysOfWeek: string) => ` on ${daysOfMonth} and on every ${daysOfWeek}`,
  days: (days: readonly number[]) => `the ${list(days.map(ordinal))}`,
  daySpan: (first: number, last: number) => `the ${ordinal(first)} to the ${ordinal(last)}`,
  everyDays: (days: number) => `every ${ordinal(days)} day of the month, from the 1st`,
  weekdays: (days: readonly number[]) => list(days.map(weekday)),
  mondayToFriday: ", Monday to Friday",
  dayFromMondayToFriday: "day from Monday to Friday",
  inMonths: (months: readonly number[]) => ` in ${list(months.map(month))}`,

  form: {
    common: "Common schedules",
    kind: "Repeats",
    kinds: {
      minutes: "Every few minutes",
      hourly: "Every hour",
      daily: "Every day",
      weekdays: "Monday to Friday",
      weekly: "Every week",
      monthly: "Every month",
      own: "Custom expression",
    },
    minutes: "Minutes between runs",
    minute: "At minute",
    weekday: "Day",
    day: "Day of the month",
    time: "At",
    expression: "Cron expression",
    expressionHint:
      "Five fields: minute, hour, day of month, month, day of week. Each is *, */5, 1-5 or 1,3,5. Sunday is 0.",
    invalid: "Invalid expression. See the fields below.",
    fields: "Fields of the expression",
    noField: "–",
    timeZone: "Time zone",
    timeZoneHint: "Follows daylight saving time. Default: UTC.",
    noTimeZone: "No time zone matches. Try a large city in your region.",
  },
  next: {
    title: (runs: number) => `Next ${runs} runs`,
    yours: (zone: string) => `Your time (${zone})`,
    fromNow: "From now",
  },
};

function minuteNames(minutes: readonly number[]): string {
  return `${minutes.length === 1 ? "minute" : "minutes"} ${list(minutes)}`;
}
