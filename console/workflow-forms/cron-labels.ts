import { CRON_FIELDS, fieldValues } from "../../worker/domain/cron/fields.ts";
import { parseCron } from "../../worker/domain/cron/parse.ts";
import type { CronTimes } from "../../worker/domain/cron/parse.ts";
import { cron as text } from "../strings/en/cron.ts";

const [MINUTE, HOUR, DAY_OF_MONTH, MONTH] = CRON_FIELDS;
/** More times of day than this are shown as separate hours and minutes. */
const TIMES_SHOWN = 4;

/** A schedule as text: "Every 5 minutes", "At 09:00 on Monday". An invalid expression is shown unchanged. */
export function cronLabel(expression: string): string {
  const parsed = parseCron(expression);
  return parsed.ok
    ? timeLabel(parsed.times) + dayLabel(parsed.times) + monthLabel(parsed.times)
    : text.invalid(expression);
}

/** A schedule as a sentence; null for an invalid expression. */
export function cronSentence(expression: string): string | null {
  return parseCron(expression).ok ? text.sentence(cronLabel(expression)) : null;
}

/** A schedule with its time zone: "Every 5 minutes (UTC)". */
export function scheduleLabel({ expression, timezone = "UTC" }: { expression: string; timezone?: string | undefined }) {
  return text.inZone(cronLabel(expression), timezone);
}

function timeLabel({ minutes, hours }: CronTimes): string {
  const [minute = 0] = minutes;
  const everyHour = hours.length === fieldValues(HOUR).length;
  const minuteStep = stepOf(minutes, MINUTE);
  const hourStep = everyHour ? 1 : stepOf(hours, HOUR);
  if (minuteStep !== null) {
    const often = text.everyMinutes(minuteStep);
    if (everyHour) return often;
    return `${often} ${hourStep === null ? hourLabel(hours) : text.inEveryHour(hourStep)}`;
  }
  if (!everyHour && minutes.length * hours.length <= TIMES_SHOWN) {
    return text.at(hours.flatMap((hour) => minutes.map((each) => clock(hour, each))));
  }
  if (hourStep !== null) {
    const often = text.everyHours(hourStep);
    return minutes.length === 1 && minute === 0 ? often : `${often} ${text.atMinutes(minutes)}`;
  }
  const [first, last] = ends(hours);
  return minutes.length === 1 && isSpan(hours)
    ? text.everyHourFrom(clock(first, minute), clock(last, minute))
    : text.atMinutesIn(minutes, hourLabel(hours));
}

/** A span of hours from its first minute to its last, or a list of hours. */
function hourLabel(hours: readonly number[]): string {
  const [first, last] = ends(hours);
  return isSpan(hours) ? text.fromTo(clock(first, 0), clock(last, 59)) : text.inHours(hours);
}

function dayLabel({ daysOfMonth, daysOfWeek, restrictsDayOfMonth, restrictsDayOfWeek }: CronTimes): string {
  const inMonth = dayOfMonthLabel([...daysOfMonth].sort((a, b) => a - b));
  // Sunday is 0, but a week ends with it here.
  const week = [...daysOfWeek].sort((a, b) => ((a + 6) % 7) - ((b + 6) % 7));
  const isWorkweek = week.join(",") === "1,2,3,4,5";
  if (restrictsDayOfMonth && restrictsDayOfWeek) {
    return text.onEither(inMonth, isWorkweek ? text.dayFromMondayToFriday : text.weekdays(week));
  }
  if (restrictsDayOfMonth) return text.onDays(inMonth);
  if (!restrictsDayOfWeek) return "";
  return isWorkweek ? text.mondayToFriday : text.onDays(text.weekdays(week));
}

function dayOfMonthLabel(days: readonly number[]): string {
  const step = stepOf(days, DAY_OF_MONTH);
  if (step !== null && step > 1 && days.length > 3) return text.everyDays(step);
  return days.length > 2 && isSpan(days) ? text.daySpan(...ends(days)) : text.days(days);
}

function monthLabel({ months }: CronTimes): string {
  if (months.length === fieldValues(MONTH).length) return "";
  return text.inMonths([...months].sort((a, b) => a - b));
}

function ends(values: readonly number[]): [first: number, last: number] {
  const [first = 0] = values;
  return [first, values.at(-1) ?? first];
}

/** Whether sorted values have no gap. */
function isSpan(values: readonly number[]): boolean {
  const [first, last] = ends(values);
  return last - first + 1 === values.length;
}

/** The step of a field whose values have equal distances; null otherwise. */
function stepOf(values: readonly number[], field: (typeof CRON_FIELDS)[number]): number | null {
  const [first, second] = values;
  if (first === undefined || second === undefined) return null;
  const step = second - first;
  // Minutes and hours start over: a step that does not divide the range is not regular.
  if (field !== DAY_OF_MONTH && (field.max + 1) % step !== 0) return null;
  return fieldValues(field, step).join(",") === values.join(",") ? step : null;
}

function clock(hour: number, minute: number): string {
  return `${String(hour).padStart(2, "0")}:${String(minute).padStart(2, "0")}`;
}

/** The five fields of an expression, each as written and with its problem. */
export function cronFieldsOf(expression: string): { name: string; written: string; problem: string | null }[] {
  const written = expression.split(/[ \t]+/u).filter((field) => field !== "");
  const parsed = parseCron(expression);
  const problems = parsed.ok ? [] : parsed.problems;
  return CRON_FIELDS.map(({ name }, index) => ({
    name,
    written: written[index] ?? "",
    problem: problems.find((problem) => problem.startsWith(`${name}, position `)) ?? null,
  }));
}
