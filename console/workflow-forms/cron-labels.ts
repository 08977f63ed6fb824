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
/** More times of day than this are told by their hours and minutes apart. */
const TIMES_SHOWN = 4;

/** A schedule in words: "Every 5 minutes", "At 09:00 on Monday"; the expression itself where it cannot be read. */
export function cronLabel(expression: string): string {
  const parsed = parseCron(expression);
  if (!parsed.ok) return `Schedule ${expression}`;
  return [timeLabel(parsed.times), dayLabel(parsed.times), monthLabel(parsed.times)]
    .filter((part) => part !== "")
    .join(" ");
}

/** The same as a sentence; null for an expression that cannot be read. */
export function cronSentence(expression: string): string | null {
  return parseCron(expression).ok ? `${cronLabel(expression)}.` : null;
}

/** The same with where its clock stands: "Every 5 minutes (UTC)". */
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

/** From the first minute of a span of hours to the last of it, or hour by hour. */
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
  // Sunday is 0, and stands at the end of a week here.
  const days = unsorted.toSorted((a, b) => ((a + 6) % 7) - ((b + 6) % 7));
  if (days.join(",") === "1,2,3,4,5") return "Monday to Friday";
  return list(days.map((day) => DAYS[day] ?? String(day)));
}

function monthLabel({ months }: CronTimes): string {
  if (months.length === MONTHS.length) return "";
  return `in ${list([...months].sort((a, b) => a - b).map((month) => MONTHS[month - 1] ?? String(month)))}`;
}

/** The step of a field whose values are all as far apart; null for every other one. */
function stepOf(values: readonly number[], field: (typeof CRON_FIELDS)[number]): number | null {
  const [first, second] = values;
  if (first === undefined || second === undefined) return null;
  const step = second - first;
  // Minutes and hours begin anew where the field ends: one that does not come out even is no steady step.
  if (field !== DAY_OF_MONTH && (field.max + 1) % step !== 0) return null;
  return fieldValues(field, step).join(",") === values.join(",") ? step : null;
}

function list(words: readonly string[]): string {
  return words.length <= 1 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1) ?? ""}`;
}

function clock(hour: number, minute: number): string {
  return `${String(hour).padStart(2, "0")}:${String(minute).padStart(2, "0")}`;
}

function ordinal(value: number): string {
  const tens = value % 100;
  const suffix = tens >= 11 && tens <= 13 ? "th" : (["th", "st", "nd", "rd"][value % 10] ?? "th");
  return `${value}${suffix}`;
}

/** The five fields of an expression, each with what stands in it and what is wrong with it. */
export function cronFieldsOf(expression: string): { name: string; text: string; problem: string | null }[] {
  const words = expression.split(/[ \t]+/u).filter((word) => word !== "");
  const parsed = parseCron(expression);
  const problems = parsed.ok ? [] : parsed.problems;
  return CRON_FIELDS.map(({ name }, index) => ({
    name,
    text: words[index] ?? "",
    problem: problems.find((problem) => problem.startsWith(`${name}, position `)) ?? null,
  }));
}
