import { holdersOf, lineEnd, skip } from "./marks.ts";
import type { Token } from "./marks.ts";
import { stringPlaces } from "./takes-variable.ts";
import type { StringPlace, VariableRule } from "./takes-variable.ts";
import type { Steps } from "../steps.ts";

const OUTSIDE = 'is outside a string. Write it inside plain quotes, or pass it in env and read os.environ["NAME"].';
const FORMATTED =
  "is in a string with the prefix f or t, which Python evaluates. Use a plain string, or pass the value in env.";
const UNCLEAR =
  "is in a script with a string whose end is not clear. Close it, and write no quotes inside {…} of an f-string.";
const NO_STRING = /[^#"']+/uy;
/**
 * A whole expression that names no program: a string directly behind or before another string would be a part of that
 * string, and one behind a name and a colon would be an annotation, which some libraries evaluate.
 */
const VARIABLE: VariableRule = {
  outside: OUTSIDE,
  evaluates:
    /exec(?!ution)|eval|compile|system|popen|spawn|shell|getoutput|getstatusoutput|timeit|runpy|import_module|__import__|__future__|typing|pydantic|pickle|marshal|yaml|template|ssh|-(?:[a-z]{0,2}c|e)\b|^[ \t]*case\b/imu,
  before:
    /\n[^#\n]*(?:[([{,=+]|["'][ \t]*:|\b(?:return|in)(?=\s))[ \t]*(?:\r?\n[ \t]*)?(?<!(?:run|call|output|startfile)\s*\(\s*\[?\s*)$/u,
  after: /^[ \t]*(?:[)\]},:+;.]|$|\r?\n(?!\s*(?:\w{0,2}["']|#)))/u,
};

/** The places of templates in a Python script, each inside a plain string. The lexer knows only comments and quotes. */
export function pythonPlaces(source: string, steps: Steps): StringPlace[] {
  steps.spend(source.length);
  const holders = holdersOf(source, UNCLEAR, (at) => {
    const char = source[at];
    if (char === "#") return { end: lineEnd(source, at), reason: OUTSIDE };
    return char === '"' || char === "'" ? stringAt(source, at) : { end: skip(NO_STRING, source, at), reason: OUTSIDE };
  });
  return stringPlaces(source, holders, VARIABLE, steps);
}

function stringAt(source: string, start: number): Token {
  const end = stringEnd(source, start);
  const isFormatted = /(?<![\p{L}\p{N}_])(?:[ft]r?|r[ft])$/iu.test(source.slice(Math.max(0, start - 3), start));
  if (!isFormatted) return { end, reason: null };
  // Since Python 3.12 a quote inside a field need not end the string: a `{` before that quote then has no `}`.
  const fields = source.slice(start, end).replaceAll(/\{\{|\}\}/gu, "");
  const isWhole = fields.split("{").length === fields.split("}").length;
  return { end: isWhole ? end : -1, reason: FORMATTED };
}

/** The position after the string that begins here; a backslash keeps the next character in it. */
function stringEnd(source: string, start: number): number {
  const quote = source[start] ?? "";
  const quotes = source.startsWith(quote.repeat(3), start) ? quote.repeat(3) : quote;
  for (let at = start + quotes.length; at < source.length; at += 1) {
    if (source[at] === "\\") at += 1;
    else if (source.startsWith(quotes, at)) return at + quotes.length;
    else if (source[at] === "\n" && quotes.length === 1) return -1;
  }
  return -1;
}
