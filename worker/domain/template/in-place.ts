import type { CodeLanguage } from "../../../schema/contract/action.ts";
import type { JsonValue } from "../../../schema/contract/json.ts";
import { isEmpty } from "./filters.ts";
import type { FilterCall } from "./filters.ts";
import { firstOther, textOf } from "./value.ts";

/** A value alone between these is a separate word, and may have more characters than inside other text. */
const BOUNDARY = /[ \t\r\n"'=]/u;
/** A word continues after these, so a value cannot become an option. */
const GOES_ON = /[\w.:/@,+-]/u;
const WORD_MAX_CHARS = 256;
/** The languages whose code takes words; SQL binds its values. */
export type WordLanguage = Exclude<CodeLanguage, "sql"> | "unknown";
const REPAIRS = {
  bash: 'Pass free text in env and write "$NAME"',
  sh: 'Pass free text in env and write "$NAME"',
  powershell: "Pass free text in env and write $env:NAME",
  python: 'Pass free text in env and read os.environ["NAME"]',
  cmd: "Pass free text in env of winrm.executeScript",
  unknown: "Pass it in env",
} as const satisfies Record<WordLanguage, string>;

/** The text around a template: a character, empty at an end, null at another template. */
export interface Around {
  readonly before: string | null;
  readonly after: string | null;
}

/**
 * The text of a value for its place in code, or the reason why it may not go there, as a sentence's end. A value after
 * `int` or `number` may have a minus sign; every other one must be a plain word.
 */
export function wordFor(
  value: JsonValue | undefined,
  filters: readonly FilterCall[],
  around: Around,
  language: WordLanguage,
): { readonly text: string } | { readonly problem: string } {
  if (isEmpty(value)) return { text: "" };
  const repairs = `${REPAIRS[language]}, pin a number with | int or a choice with | oneOf, or use an action that takes data.`;
  if (typeof value === "object")
    return {
      problem: `is ${Array.isArray(value) ? "a list: name one member, or use | join" : "an object: name a value in it"}. ${repairs}`,
    };
  if (language === "unknown") return { problem: "is in a language that takes no values in code. Pass it in env." };
  const text = textOf(value);
  const last = filters.at(-1)?.name;
  // Small numbers are written without an exponent: 0.0000001 is 1e-7 in JavaScript.
  if (last === "number") return { text: text.includes("e") ? Number(text).toFixed(15) : text };
  if (last === "int") return { text };
  if (typeof value === "number" && !Number.isSafeInteger(value)) {
    return { problem: "is a number that is not whole, or too large. Use | number, or pass it in env." };
  }
  const isAlone = isBoundary(around.before) && isBoundary(around.after) && language !== "cmd";
  const allowed = isAlone ? /[A-Za-z0-9_.:/-]/u : /[A-Za-z0-9_.-]/u;
  const may = isAlone ? "letters, digits and _ . : / -" : "letters, digits and _ . -";
  const other = firstOther(text, allowed);
  if (other !== null) {
    const trim = /^[^\r\n]*[\r\n]+$/u.test(text) ? "It ends in a line break: use | trim. " : "";
    return { problem: `has more than a plain word may hold here, which is ${may}: ${other}. ${trim}${repairs}` };
  }
  const problem = shapeProblem(text, around);
  return problem === null ? { text } : { problem: `${problem}. ${repairs}` };
}

function isBoundary(char: string | null): boolean {
  return char !== null && (char === "" || BOUNDARY.test(char));
}

function shapeProblem(text: string, { before }: Around): string | null {
  if (text.length > WORD_MAX_CHARS) {
    return `has ${text.length} characters, and a plain word has at most ${WORD_MAX_CHARS}`;
  }
  if (!GOES_ON.test(before ?? "") && !/^\w/u.test(text)) {
    return `begins with ${JSON.stringify(text[0])}, and a plain word begins with a letter, a digit or _`;
  }
  if (/\/\/|:\//u.test(text)) return "has // or :/ in it, which is how addresses begin";
  return text.split(/[/:]/u).some((segment) => /^\.+$/u.test(segment))
    ? "has . or .. as a part of a path, which leads to another directory"
    : null;
}
