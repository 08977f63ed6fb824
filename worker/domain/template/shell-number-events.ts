import type { Holder } from "./shell-flows.ts";

/** What decides whether a variable holds a number when arithmetic reads it; in the order of the script. */
export type NumberEvent =
  | { readonly type: "calculate"; readonly holders: readonly Holder[] }
  /** What is assigned is a number, anything, or what the holder `from` holds. */
  | { readonly type: "assign"; readonly to: Holder; readonly is: "number" | "anything" | { readonly from: Holder } }
  /** A condition: these are numbers when it is true, those when it is false. */
  | { readonly type: "test"; readonly whenTrue: readonly Holder[]; readonly whenFalse: readonly Holder[] }
  | { readonly type: "command"; readonly name: string | null }
  | { readonly type: "keyword"; readonly raw: string }
  | { readonly type: "operator"; readonly raw: "&&" | "||" | "|" | "&" | ";" }
  /** Brackets; or code that is run by itself, of which nothing is known. */
  | { readonly type: "open"; readonly alone: boolean }
  | { readonly type: "close" }
  | { readonly type: "function"; readonly name: string }
  | { readonly type: "case"; readonly subject: Holder | null }
  /** A branch of case: its patterns take numbers only, or take all that is no number. */
  | { readonly type: "arm"; readonly takes: "numbers" | "others" | "anything" }
  | { readonly type: "armEnd"; readonly fallsThrough: boolean }
  | { readonly type: "esac" };

const DIGIT = String.raw`(?:\[(?:0-9|1-9|\[:digit:\])\]|[0-9])`;
const DIGITS = `${DIGIT}(?:${DIGIT}|[*+?]|\\{[0-9]+(?:,[0-9]*)?\\})*`;
const NUMBER_REGEX = new RegExp(
  `^\\^(?:[-+]|\\[[-+]{1,2}\\])?\\??(?:${DIGITS}|\\(${DIGITS}(?:\\|${DIGITS})*\\))\\$$`,
  "u",
);
const NUMBERS_PATTERN = new RegExp(`^-?${DIGIT}+$`, "u");
const OTHERS_PATTERN = /^\*\[[!^](?:0-9|\[:digit:\])\]\*$/u;
const LONE_VARIABLE =
  /^("?)\$(?:([A-Za-z_][A-Za-z0-9_]*|[1-9])|\{([A-Za-z_][A-Za-z0-9_]*|[1-9][0-9]*)(?::?-[0-9]*)?\})\1$/u;

/** A regular expression that nothing but a number matches, from its beginning to its end. */
export function isNumberRegex(raw: string): boolean {
  return NUMBER_REGEX.test(raw);
}

/** What the patterns of one branch of case take. */
export function takenBy(patterns: readonly string[]): "numbers" | "others" | "anything" {
  if (patterns.every((raw) => raw === "''" || raw === '""' || NUMBERS_PATTERN.test(raw))) return "numbers";
  return patterns.some((raw) => OTHERS_PATTERN.test(raw)) ? "others" : "anything";
}

/** The variable that is all of a word, perhaps with a number in its place when it is empty: `"$n"`, `${1:-5}`. */
export function loneVariable(raw: string): string | null {
  const match = LONE_VARIABLE.exec(raw);
  return match?.[2] ?? match?.[3] ?? null;
}
