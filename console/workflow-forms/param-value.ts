import type { JsonValue } from "../../schema/contract/json.ts";
import { workflowForms } from "../strings/en/workflow-forms.ts";

const { fields } = workflowForms;

/**
 * How values are written in text fields. Every text has a value, so that no input is lost: text that is not a number or
 * JSON (yet) is kept as text, and the check of the draft reports it. An empty field gives undefined. For each form,
 * `read(write(value))` equals the value.
 */
export interface Written {
  readonly write: (value: JsonValue | undefined) => string;
  readonly read: (text: string) => JsonValue | undefined;
}

const text: Written = {
  write: (value) => (value === undefined ? "" : typeof value === "string" ? value : JSON.stringify(value)),
  read: (typed) => (typed === "" ? undefined : typed),
};

export const WRITTEN = {
  text,
  number: { write: text.write, read: readNumber },
  /** `200`, or `200, 204`; a list of one ends with a comma. */
  numbers: {
    write: (value) =>
      Array.isArray(value) ? value.map(text.write).join(", ") + (value.length === 1 ? "," : "") : text.write(value),
    read: (typed) => {
      if (!typed.includes(",") || typed.includes("{{")) return readNumber(typed);
      const parts = typed.split(",").map((part) => part.trim());
      return parts.filter((part) => part !== "").map((part) => readNumber(part) ?? part);
    },
  },
  /** Plain texts, numbers, true, false and null. A text that looks like one of the others is quoted. */
  scalar: { write: (value) => writeLoose(value, false), read: (typed) => readLoose(typed, false) },
  /** JSON. A text that is not JSON needs no quotes, such as a single template. */
  json: { write: (value) => writeLoose(value, true), read: (typed) => readLoose(typed, true) },
  /** Members as JSON or text, separated by commas. */
  list: {
    write: (value) =>
      Array.isArray(value) ? value.map(writeMember).join(", ") : value === undefined ? "" : writeLoose(value, true),
    read: (typed) => splitMembers(typed).map((member) => readLoose(member, true) ?? ""),
  },
} as const satisfies Record<string, Written>;

/** Whether two values have the same JSON. The order of names counts. */
export function isSameValue(a: JsonValue | undefined, b: JsonValue | undefined): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

function readNumber(text: string): JsonValue | undefined {
  const trimmed = text.trim();
  if (trimmed === "") return undefined;
  return /^-?\d{1,15}(?:\.\d{1,15})?$/u.test(trimmed) ? Number(trimmed) : trimmed;
}

function writeLoose(value: JsonValue | undefined, structures: boolean): string {
  if (value === undefined) return "";
  if (typeof value !== "string") return JSON.stringify(value, null, structures ? 2 : undefined);
  return isSameValue(readLoose(value, structures), value) ? value : JSON.stringify(value);
}

function readLoose(text: string, structures: boolean): JsonValue | undefined {
  if (text.trim() === "") return undefined;
  try {
    const value: JsonValue = JSON.parse(text);
    // As a number, `1.10` or an id of twenty digits would lose digits.
    if (typeof value === "number" && String(value) !== text.trim()) return text;
    return structures || typeof value !== "object" || value === null ? value : text;
  } catch {
    return text;
  }
}

/** Writes plain characters and templates without quotes, and quotes a text that could be read as something else. */
function writeMember(value: JsonValue): string {
  if (typeof value !== "string") return JSON.stringify(value);
  const isPlain = /^(?:[^,"[\]{}]|\{\{[^,"{}]*\}\})+$/u.test(value) && value === value.trim();
  return isPlain && isSameValue(readLoose(value, true), value) ? value : JSON.stringify(value);
}

/** Splits at commas outside of quotes, brackets and braces. */
function splitMembers(text: string): string[] {
  const members: string[] = [];
  let depth = 0;
  let quoted = false;
  let start = 0;
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at];
    if (quoted) {
      if (char === "\\") at += 1;
      else if (char === '"') quoted = false;
    } else if (char === '"' && text.slice(start, at).trim() === "") quoted = true;
    else if (char === "[" || char === "{") depth += 1;
    else if (char === "]" || char === "}") depth = Math.max(0, depth - 1);
    else if (char === "," && depth === 0) {
      members.push(text.slice(start, at).trim());
      start = at + 1;
    }
  }
  members.push(text.slice(start).trim());
  return members.filter((member) => member !== "");
}

/** A message about why a text is not JSON; null for JSON, an empty text, or a single template. */
export function jsonProblem(text: string): string | null {
  const trimmed = text.trim();
  if (trimmed === "" || /^\{\{[^{}]*\}\}$/u.test(trimmed)) return null;
  try {
    JSON.parse(trimmed);
    return null;
  } catch (error) {
    return fields.notJson(error instanceof Error ? error.message : fields.anyReason);
  }
}
