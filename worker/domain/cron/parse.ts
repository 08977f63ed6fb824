import { CRON_FIELDS } from "./fields.ts";
import type { CronField } from "./fields.ts";
import { parseField } from "./parse-field.ts";

/** An expression as sets of values, each sorted. */
export interface CronTimes {
  readonly minutes: readonly number[];
  readonly hours: readonly number[];
  readonly daysOfMonth: ReadonlySet<number>;
  readonly months: ReadonlySet<number>;
  readonly daysOfWeek: ReadonlySet<number>;
  /** Whether the field is something else than `*`; two restricted day fields combine by OR (design 5). */
  readonly restrictsDayOfMonth: boolean;
  readonly restrictsDayOfWeek: boolean;
}

export type ParsedCron = { ok: true; times: CronTimes } | { ok: false; problems: string[] };

const ORDER = CRON_FIELDS.map((field) => field.name).join(", ");
/** What people write from habit, and what it is in five fields. */
const SHORTCUTS: Readonly<Record<string, string>> = {
  "@yearly": "0 0 1 1 *",
  "@annually": "0 0 1 1 *",
  "@monthly": "0 0 1 * *",
  "@weekly": "0 0 * * 0",
  "@daily": "0 0 * * *",
  "@midnight": "0 0 * * *",
  "@hourly": "0 * * * *",
};
/** February has its leap day. */
const DAYS_OF_MONTHS = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/**
 * Reads an expression of five fields, between which stand blanks. Every field that is wrong is told: its name, the
 * character at which it goes wrong (from 1 on), and what to write.
 */
export function parseCron(expression: string): ParsedCron {
  const words = [...expression.matchAll(/[^ \t]+/gu)].map(({ 0: text, index }) => ({ text, index }));
  const [minute, hour, dayOfMonth, month, dayOfWeek, extra] = words;
  if (dayOfWeek === undefined || month === undefined || dayOfMonth === undefined || hour === undefined || !minute) {
    return { ok: false, problems: [tooFew(expression, words)] };
  }
  if (extra !== undefined) return { ok: false, problems: [tooMany(words.length, extra.index)] };
  const fields = [minute, hour, dayOfMonth, month, dayOfWeek].map(({ text }, index) =>
    parseField(text, fieldAt(index)),
  );
  const problems = fields.flatMap((field, index) =>
    field.ok ? [] : [`${fieldAt(index).name}, position ${(words[index]?.index ?? 0) + field.at + 1}: ${field.message}`],
  );
  const [minutes, hours, days, months, weekdays] = fields.flatMap((field) => (field.ok ? [field] : []));
  if (!minutes || !hours || !days || !months || !weekdays) return { ok: false, problems };
  const times: CronTimes = {
    minutes: minutes.values,
    hours: hours.values,
    daysOfMonth: new Set(days.values),
    months: new Set(months.values),
    daysOfWeek: new Set(weekdays.values),
    restrictsDayOfMonth: days.restricted,
    restrictsDayOfWeek: weekdays.restricted,
  };
  if (canBeDue(times)) return { ok: true, times };
  const what = `no month that is named (${month.text}) has such a day, so this is never due; write a day that exists`;
  return { ok: false, problems: [`day of month, position ${dayOfMonth.index + 1}: ${what}`] };
}

function fieldAt(index: number): CronField {
  const field = CRON_FIELDS[index];
  if (field === undefined) throw new RangeError(`a cron expression has no field ${index}`);
  return field;
}

function tooFew(expression: string, words: readonly { text: string; index: number }[]): string {
  const [first] = words;
  if (first?.text.startsWith("@") === true) {
    const fields = SHORTCUTS[first.text.toLowerCase()];
    const instead = fields === undefined ? `the five fields: ${ORDER}` : fields;
    return `position ${first.index + 1}: shortcuts such as ${JSON.stringify(first.text.slice(0, 40))} are not supported; write ${instead}`;
  }
  const missing = CRON_FIELDS.slice(words.length).map((field) => field.name);
  const count = words.length === 1 ? "1 field" : `${words.length} fields`;
  return `position ${expression.trimEnd().length + 1}: there are ${count}, and five are needed; the ${missing.join(", ")} ${missing.length === 1 ? "is" : "are"} missing`;
}

function tooMany(count: number, index: number): string {
  return `position ${index + 1}: there are ${count} fields, and five are needed: ${ORDER}; there is none for seconds or years, and a list is written without blanks`;
}

function canBeDue({ daysOfMonth, months, restrictsDayOfWeek }: CronTimes): boolean {
  if (restrictsDayOfWeek) return true;
  const earliestDay = Math.min(...daysOfMonth);
  return [...months].some((month) => earliestDay <= (DAYS_OF_MONTHS[month - 1] ?? 0));
}
