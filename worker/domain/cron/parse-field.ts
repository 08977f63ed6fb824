import { explainField } from "./explain-field.ts";
import { fieldValues, isDayOfWeek, valuesBetween } from "./fields.ts";
import type { CronField } from "./fields.ts";

/** `at`: the character of the field, from 0 on, at which it goes wrong. */
export type ParsedField =
  | { ok: true; values: number[]; /** False for `*`: it restricts nothing. */ restricted: boolean }
  | { ok: false; at: number; message: string };

/**
 * One field of an expression, in one of the four forms of the specification: `*`, `*\/N`, `N-M`, `N,M,O` (a number alone
 * is a list of one). A list holds numbers, not ranges, and a range has no step; both are told how they are written.
 */
export function parseField(text: string, field: CronField): ParsedField {
  if (text === "*") return { ok: true, values: fieldValues(field), restricted: false };
  const step = /^\*\/(?<every>\d+)$/u.exec(text)?.groups?.["every"];
  if (step !== undefined) return parseStep(step, field);
  const range = /^(?<first>\d+)-(?<last>\d+)$/u.exec(text)?.groups;
  if (range !== undefined) return parseRange(range["first"] ?? "", range["last"] ?? "", field);
  if (/^\d+(?:,\d+)*$/u.test(text)) return parseList(text, field);
  return { ok: false, ...explainField(text, field) };
}

function parseStep(digits: string, field: CronField): ParsedField {
  const step = Number(digits);
  // Above the largest value nothing but the first one is left: `*/90` would silently be hourly.
  if (digits.length > 2 || step < 1 || step > field.max) {
    return { ok: false, at: 2, message: `the step ${quote(digits)} must be a number from 1 to ${field.max}` };
  }
  return { ok: true, values: fieldValues(field, step), restricted: step > 1 };
}

function parseRange(firstDigits: string, lastDigits: string, field: CronField): ParsedField {
  const problem =
    numberProblem(firstDigits, 0, field) ??
    numberProblem(lastDigits, firstDigits.length + 1, field, `${firstDigits}-${lastDigits}`);
  if (problem !== null) return problem;
  const first = Number(firstDigits);
  const last = Number(lastDigits);
  if (first > last) return { ok: false, ...explainField(`${firstDigits}-${lastDigits}`, field) };
  return { ok: true, values: valuesBetween(first, last), restricted: true };
}

function parseList(text: string, field: CronField): ParsedField {
  const values = new Set<number>();
  let at = 0;
  for (const digits of text.split(",")) {
    const problem = numberProblem(digits, at, field, text);
    if (problem !== null) return problem;
    values.add(Number(digits));
    at += digits.length + 1;
  }
  return { ok: true, values: [...values].sort((a, b) => a - b), restricted: true };
}

function numberProblem(digits: string, at: number, field: CronField, whole = digits): ParsedField | null {
  const value = Number(digits);
  if (digits.length <= 2 && value >= field.min && value <= field.max) return null;
  if (isDayOfWeek(field) && digits === "7") return { ok: false, ...explainField(whole, field), at };
  return { ok: false, at, message: `${quote(digits)} must be a number from ${field.min} to ${field.max}` };
}

function quote(text: string): string {
  return `"${text.slice(0, 40)}"`;
}
