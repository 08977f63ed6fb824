import { isDayOfWeek, valuesBetween, writeField } from "./fields.ts";
import type { CronField } from "./fields.ts";

const SHOWN_CHARS = 40;
const FORMS = "write *, */N, N-M or N,M,O";
const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const DAYS = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];

/**
 * Why a field is none of the four forms, at which of its characters (from 0 on), and what to write instead. What other
 * crons understand (`1-5,10`, `0-30/5`, `22-2`, `MON`, `7`) is answered with the same values in our words.
 */
export function explainField(text: string, field: CronField): { at: number; message: string } {
  const shown = JSON.stringify(text.length > SHOWN_CHARS ? `${text.slice(0, SHOWN_CHARS)}…` : text);
  if (text === "?") return { at: 0, message: `${shown} is not supported; write *` };
  const numbers = withoutNames(text, field);
  const values = otherCronsValues(numbers, field);
  if (values !== null) {
    return { at: 0, message: `${shown} ${reasonFor(text, numbers, field)}; write ${writeField(values, field)}` };
  }
  const gap = /^,|,,|,$/u.exec(text);
  if (gap !== null) return { at: gap.index, message: `${shown} has a comma without a number on both sides; ${FORMS}` };
  const at = numbers === text ? Math.max(0, text.search(/[^\d*,/-]/u)) : 0;
  const special = /^[\d\-,*/]*[LW#?][\d\-,LW#?*/]*$/iu.test(numbers);
  const reason = special ? "uses L, W, # or ?, which are not supported" : "is not understood";
  return { at, message: `${shown} ${reason}; ${FORMS}, with numbers from ${field.min} to ${field.max}` };
}

function reasonFor(text: string, numbers: string, field: CronField): string {
  if (numbers !== text) return "has names in it, and only numbers are taken";
  if (isDayOfWeek(field) && text.includes("7")) return "has 7 in it, and Sunday is 0";
  if (text.includes(",")) return "is a list of more than numbers";
  return text.includes("/") ? "has a step behind something else than *" : "is a range that runs backwards";
}

/** `MON-FRI` as `1-5`. Only where a field has names, and whole names or their first three letters. */
function withoutNames(text: string, field: CronField): string {
  const names = isDayOfWeek(field) ? DAYS : field.name === "month" ? MONTHS : [];
  return text.replaceAll(/[a-z]{3,9}/giu, (word) => {
    const index = names.indexOf(word.slice(0, 3).toLowerCase());
    return index === -1 ? word : String(index + field.min);
  });
}

/** The values that a more lenient cron would read; null where there is no one answer. */
function otherCronsValues(text: string, field: CronField): number[] | null {
  const values = new Set<number>();
  for (const part of text.split(",")) {
    const found = partValues(part, field);
    if (found === null) return null;
    for (const value of found) values.add(isDayOfWeek(field) && value === 7 ? 0 : value);
  }
  return [...values].sort((a, b) => a - b);
}

function partValues(part: string, field: CronField): number[] | null {
  const match = /^(?:\*|(?<first>\d{1,2})(?:-(?<last>\d{1,2}))?)(?:\/(?<step>\d{1,2}))?$/u.exec(part)?.groups;
  if (match === undefined) return null;
  const max = isDayOfWeek(field) ? 7 : field.max;
  const step = Number(match["step"] ?? 1);
  const first = Number(match["first"] ?? field.min);
  const openEnd = match["first"] === undefined || (match["last"] === undefined && match["step"] !== undefined);
  const last = openEnd ? field.max : Number(match["last"] ?? first);
  if (step < 1 || first < field.min || first > max || last < field.min || last > max) return null;
  if (first <= last) return valuesBetween(first, last, step);
  return step === 1 ? [...valuesBetween(first, field.max), ...valuesBetween(field.min, last)] : null;
}
