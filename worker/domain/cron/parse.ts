import { CronPattern } from "croner";
import { CRON_FIELDS } from "./fields.ts";
import { parseField } from "./parse-field.ts";

/** An expression as the values of each field, sorted and distinct. */
export interface CronTimes {
  readonly minutes: readonly number[];
  readonly hours: readonly number[];
  readonly daysOfMonth: readonly number[];
  readonly months: readonly number[];
  readonly daysOfWeek: readonly number[];
  /**
   * Whether the field is not `*`; two restricted day fields combine by OR (docs/design/workflows.md#cron-expressions).
   */
  readonly restrictsDayOfMonth: boolean;
  readonly restrictsDayOfWeek: boolean;
}

export type ParsedCron = { ok: true; times: CronTimes } | { ok: false; problems: string[] };

type Word = { text: string; index: number };

const ORDER = CRON_FIELDS.map((field) => field.name).join(", ");
/** February with its leap day. */
const DAYS_OF_MONTHS = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/**
 * Reads an expression of five fields with blanks between them. Each wrong field is reported with its name, the position
 * of the first wrong character (from 1 on), and what to write.
 */
export function parseCron(expression: string): ParsedCron {
  const words: Word[] = [...expression.matchAll(/[^ \t]+/gu)].map(({ 0: text, index }) => ({ text, index }));
  if (words.length !== CRON_FIELDS.length) return { ok: false, problems: [wrongCount(expression, words)] };
  const problems: string[] = [];
  const [minutes = [], hours = [], daysOfMonth = [], months = [], daysOfWeek = []] = CRON_FIELDS.map((field, index) => {
    const { text, index: start } = words[index] ?? { text: "", index: 0 };
    const parsed = parseField(text, field);
    if (parsed.ok) return parsed.values;
    problems.push(`${field.name}, position ${start + parsed.at + 1}: ${parsed.message}`);
    return [];
  });
  if (problems.length > 0) return { ok: false, problems };
  const restricts = (index: number) => !/^\*(?:\/0?1)?$/u.test(words[index]?.text ?? "");
  const [restrictsDayOfMonth, restrictsDayOfWeek] = [restricts(2), restricts(4)];
  const earliestDay = daysOfMonth[0] ?? 1;
  if (restrictsDayOfWeek || months.some((month) => earliestDay <= (DAYS_OF_MONTHS[month - 1] ?? 0))) {
    const times = { minutes, hours, daysOfMonth, months, daysOfWeek, restrictsDayOfMonth, restrictsDayOfWeek };
    return { ok: true, times };
  }
  const what = `no month in the schedule (${words[3]?.text}) has such a day, so the schedule is never due; write a day that exists`;
  return { ok: false, problems: [`day of month, position ${(words[2]?.index ?? 0) + 1}: ${what}`] };
}

function wrongCount(expression: string, words: readonly Word[]): string {
  const [first, , , , , extra] = words;
  if (first === undefined) return "is empty: write five fields, such as 0 9 * * 1";
  if (extra !== undefined) {
    return `position ${extra.index + 1}: there are ${words.length} fields, and five are needed: ${ORDER}; there is no field for seconds or years, and a list has no spaces`;
  }
  if (first.text.startsWith("@")) {
    return `position ${first.index + 1}: shortcuts such as ${JSON.stringify(first.text.slice(0, 40))} are not supported; write ${inFields(first.text)}`;
  }
  const missing = CRON_FIELDS.slice(words.length).map((field) => field.name);
  const count = words.length === 1 ? "is 1 field" : `are ${words.length} fields`;
  return `position ${expression.trimEnd().length + 1}: there ${count}, and five are needed; the ${missing.join(", ")} ${missing.length === 1 ? "is" : "are"} missing`;
}

/** A shortcut in croner's five fields. */
function inFields(shortcut: string): string {
  try {
    return new CronPattern(shortcut).pattern.replace("SUN", "0");
  } catch {
    return `the five fields: ${ORDER}`;
  }
}
