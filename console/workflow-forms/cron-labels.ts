import { CRON_FIELDS, fieldValues } from "../../worker/domain/cron/fields.ts";
import { parseCron } from "../../worker/domain/cron/parse.ts";
import type { CronTimes } from "../../worker/domain/cron/parse.ts";

const DAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const MONTHS = [
  "January",
  "February",
  "March",
  "April",
  "May",
  "June",
  "July",
  "August",
  "September",
  "October",
  "November",
  "December",
];
const [MINUTE, HOUR, DAY_OF_MONTH] = CRON_FIELDS;
/** More times of day than this are shown as separate hours and minutes. */
const TIMES_SHOWN = 4;

/** A schedule as text: "Every 5 minutes", "At 09:00 on Monday". An invalid expression is shown unchanged. */
export function cronLabel(expression: string): string {
  const parsed = parseCron(expression);
  if (!parsed.ok) return `Schedule ${expression}`;
  return [timeLabel(parsed.times), dayLabel(parsed.times), monthLabel(parsed.times)]
    .filter((part) => part !== "")
    .join(" ");
}

/** A schedule as a sentence; null for an invalid expression. */
export function cronSentence(expression: string): string | null {
  return parseCron(expression).ok ? `${cronLabel(expression)}.` : null;
}

/** A schedule with its time zone: "Every 5 minutes (UTC)". */
export function scheduleLabel({ expression, timezone = "UTC" }: { expression: string; timezone?: string | undefined }) {
  return `${cronLabel(expression)} (${timezone})`;
}

function timeLabel({ minutes, hours }: CronTimes): string {
  const [minute = 0] = minutes;
  const everyHour = hours.length === fieldValues(HOUR).length;
  const minuteStep = stepOf(minutes, MINUTE);
  const hourStep = stepOf(hours, HOUR);
  if (minuteStep !== null) {
    const often = minuteStep === 1 ? "Every minute" : `Every ${minuteStep} minutes`;
    if (everyHour) return often;
    return hourStep === null ? `${often} ${hourLabel(hours)}` : `${often} of every ${ordinal(hourStep)} hour`;
  }
  const past = minutes.length === 1 && minute === 0 ? "" : ` at ${minuteLabel(minutes)} past`;
  if (everyHour) return `Every hour${past}`;
  if (minutes.length * hours.length <= TIMES_SHOWN) {
    return `At ${list(hours.flatMap((hour) => minutes.map((minute) => clock(hour, minute))))}`;
  }
  if (hourStep !== null) return `Every ${hourStep} hours${past}`;
  return minutes.length === 1
    ? `At ${minuteLabel(minutes)} past ${hoursList(hours)}`
    : `At ${minuteLabel(minutes)} past, ${hourLabel(hours)}`;
}

/** A span of hours from its first minute to its last, or a list of hours. */
function hourLabel(hours: readonly number[]): string {
  const [first = 0] = hours;
  const last = hours.at(-1) ?? first;
  if (last - first + 1 === hours.length) return `from ${clock(first, 0)} to ${clock(last, 59)}`;
  return `in the hours ${list(hours.map(String))}`;
}

function hoursList(hours: readonly number[]): string {
  const [first = 0] = hours;
  const last = hours.at(-1) ?? first;
  const whole = last - first + 1 === hours.length;
  return whole ? `every hour from ${first} to ${last}` : `the hours ${list(hours.map(String))}`;
}

function minuteLabel(minutes: readonly number[]): string {
  const text = list(minutes.map(String));
  return minutes.length === 1 && minutes[0] === 1 ? `${text} minute` : `${text} minutes`;
}

function dayLabel({ daysOfMonth, daysOfWeek, restrictsDayOfMonth, restrictsDayOfWeek }: CronTimes): string {
  const inMonth = restrictsDayOfMonth ? dayOfMonthLabel([...daysOfMonth].sort((a, b) => a - b)) : "";
  const inWeek = restrictsDayOfWeek ? dayOfWeekLabel([...daysOfWeek]) : "";
  if (inMonth !== "" && inWeek !== "") return `on ${inMonth}, and also on ${inWeek}`;
  return inMonth === "" && inWeek === "" ? "" : `on ${inMonth}${inWeek}`;
}

function dayOfMonthLabel(days: readonly number[]): string {
  const step = stepOf(days, DAY_OF_MONTH);
  if (step !== null && step > 1 && days.length > 3) return `every ${ordinal(step)} day of the month from the 1st`;
  const [first = 1] = days;
  const last = days.at(-1) ?? first;
  const isSpan = days.length > 2 && last - first + 1 === days.length;
  return isSpan ? `the ${ordinal(first)} to the ${ordinal(last)}` : `the ${list(days.map(ordinal))}`;
}

function dayOfWeekLabel(unsorted: readonly number[]): string {
  // Sunday is 0, but a week ends with it here.
  const days = unsorted.toSorted((a, b) => ((a + 6) % 7) - ((b + 6) % 7));
  if (days.join(",") === "1,2,3,4,5") return "Monday to Friday";
  return list(days.map((day) => DAYS[day] ?? String(day)));
}

function monthLabel({ months }: CronTimes): string {
  if (months.length === MONTHS.length) return "";
  return `in ${list([...months].sort((a, b) => a - b).map((month) => MONTHS[month - 1] ?? String(month)))}`;
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

function list(items: readonly string[]): string {
  return items.length <= 1 ? items.join("") : `${items.slice(0, -1).join(", ")} and ${items.at(-1) ?? ""}`;
}

function clock(hour: number, minute: number): string {
  return `${String(hour).padStart(2, "0")}:${String(minute).padStart(2, "0")}`;
}

function ordinal(value: number): string {
  const tens = value % 100;
  const suffix = tens >= 11 && tens <= 13 ? "th" : (["th", "st", "nd", "rd"][value % 10] ?? "th");
  return `${value}${suffix}`;
}

/** The five fields of an expression, each with its text and its problem. */
export function cronFieldsOf(expression: string): { name: string; text: string; problem: string | null }[] {
  const texts = expression.split(/[ \t]+/u).filter((text) => text !== "");
  const parsed = parseCron(expression);
  const problems = parsed.ok ? [] : parsed.problems;
  return CRON_FIELDS.map(({ name }, index) => ({
    name,
    text: texts[index] ?? "",
    problem: problems.find((problem) => problem.startsWith(`${name}, position `)) ?? null,
  }));
}
