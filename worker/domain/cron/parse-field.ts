import { explainField } from "./explain-field.ts";
import { fieldValues, isDayOfWeek, valuesBetween } from "./fields.ts";
import type { CronField } from "./fields.ts";

/** `at` is the index of the first wrong character in the field. */
export type ParsedField = { ok: true; values: number[] } | { ok: false; at: number; message: string };

/**
 * One field of an expression, in one of the four forms of docs/design/workflows.md#cron-expressions: `*`, `*\/N`,
 * `N-M`, `N,M,O` (one number is a list of one). A list holds numbers, not ranges, and a range has no step. The values
 * are sorted and distinct.
 */
export function parseField(text: string, field: CronField): ParsedField {
  if (!/^(?:\*(?:\/\d+)?|\d+-\d+|\d+(?:,\d+)*)$/u.test(text)) return { ok: false, ...explainField(text, field) };
  const problem = numberProblem(text, field);
  if (problem !== null) return { ok: false, ...problem };
  const numbers = (text.match(/\d+/gu) ?? []).map(Number);
  const [first = 1, last = first] = numbers;
  if (text.startsWith("*")) return { ok: true, values: fieldValues(field, first) };
  if (!text.includes("-")) return { ok: true, values: [...new Set(numbers)].sort((a, b) => a - b) };
  if (first > last) return { ok: false, ...explainField(text, field) };
  return { ok: true, values: valuesBetween(first, last) };
}

function numberProblem(text: string, field: CronField): { at: number; message: string } | null {
  // A step above the largest value leaves only the first value: `*/90` would silently be hourly.
  const isStep = text.startsWith("*");
  const min = isStep ? 1 : field.min;
  for (const { 0: digits, index: at } of text.matchAll(/\d+/gu)) {
    if (digits.length <= 2 && Number(digits) >= min && Number(digits) <= field.max) continue;
    if (isDayOfWeek(field) && digits === "7" && !isStep) return { ...explainField(text, field), at };
    const number = `${isStep ? "the step " : ""}"${digits.slice(0, 40)}"`;
    return { at, message: `${number} must be a number from ${min} to ${field.max}` };
  }
  return null;
}
