import { behind, holdersOf, lineEnd, skip } from "./marks.ts";
import type { Token } from "./marks.ts";
import { stringPlaces } from "./takes-variable.ts";
import type { StringPlace, VariableRule } from "./takes-variable.ts";
import type { Steps } from "../steps.ts";

const OUTSIDE = 'is outside a string. Write it inside quotes, such as "{{…}}", or pass it in env and write $env:NAME.';
const EVALUATED =
  "is in a string with $(…), which PowerShell evaluates. Use a string without it, or pass the value in env.";
const UNCLEAR =
  "is in a script with a string whose end is not clear. Close it, write no double quotes inside $(…) in a string, leave out --%, and put a blank before the # of a comment.";
// PowerShell reads typographic quotes as plain ones (about_Quoting_Rules).
const SINGLE = /['\u2018-\u201b]/u;
const DOUBLE = /["\u201c-\u201e]/u;
/** A whole argument or expression, which `&` and `.` do not run, on a line without types, attributes and comments. */
const VARIABLE: VariableRule = {
  outside: OUTSIDE,
  evaluates:
    /Invoke|\bi(?:ex|cm)\b|ScriptBlock|AddScript|ExpandString|Add-Type|Start-Process|\bsaps\b|Import-Module|\bipmo\b|powershell|pwsh|\bcmd\b|\b(?:ba|da|k|z)?sh\b|ssh|[-/](?:[a-z]{0,2}[ck]|com[a-z]*|e)\b|`|&\s*[$@]?\(|(?<!\S)\.\s*[$@]?\(|&[ \t]*\r?\n/iu,
  before: /\n(?![^\n]*[&.][ \t]*$)(?:[^\n[#]*[\s(,=;{|])?$/u,
  after: /^(?:$|[\s),;}|])/u,
};
const NO_STRING = /[^`$<#@'"\u2018-\u201e]+/uy;

/**
 * The places of templates in a PowerShell script, each inside a string that evaluates nothing. The lexer knows only
 * comments, quotes and here-strings.
 */
export function powershellPlaces(source: string, steps: Steps): StringPlace[] {
  steps.spend(source.length);
  const isVerbatim = source.includes("--%");
  const holders = holdersOf(source, UNCLEAR, (at) => (isVerbatim ? { end: -1, reason: null } : tokenAt(source, at)));
  return stringPlaces(source, holders, VARIABLE, steps);
}

function tokenAt(source: string, at: number): Token {
  const char = source[at] ?? "";
  const next = source[at + 1] ?? "";
  const code = (end: number): Token => ({ end, reason: OUTSIDE });
  if (char === "`") return code(at + 2);
  if (char === "$" && next === "{") return code(behind(source, "}", at));
  if (char === "<" && next === "#") return code(behind(source, "#>", at));
  if (char === "#") return code(commentEnd(source, at));
  if (char === "@" && /^["'\u2018-\u201e][ \t]*\r?\n/u.test(source.slice(at + 1, at + 99))) {
    const end = hereStringEnd(source, at, DOUBLE.test(next) ? DOUBLE : SINGLE);
    return DOUBLE.test(next) ? expandable(source, at, end) : { end, reason: null };
  }
  if (DOUBLE.test(char)) return expandable(source, at, stringEnd(source, at, DOUBLE));
  if (SINGLE.test(char)) return { end: stringEnd(source, at, SINGLE), reason: null };
  return code(Math.max(at + 1, skip(NO_STRING, source, at)));
}

/** The position after a comment, after a # inside a word, or -1 when that is unclear. */
function commentEnd(source: string, at: number): number {
  const before = source[at - 1] ?? " ";
  if (/[\w.:\\/-]/u.test(before)) return at + 1;
  return /[\s;(){}|&,=<>+*!]/u.test(before) ? lineEnd(source, at) : -1;
}

/** The position after a string. Neither a doubled quote ends it nor, in double quotes, one after a backtick. */
function stringEnd(source: string, start: number, quote: RegExp): number {
  for (let at = start + 1; at < source.length; at += 1) {
    if (source[at] === "`" && quote === DOUBLE) at += 1;
    else if (quote.test(source[at] ?? "")) {
      if (!quote.test(source[at + 1] ?? "")) return at + 1;
      at += 1;
    }
  }
  return -1;
}

function hereStringEnd(source: string, start: number, quote: RegExp): number {
  for (let at = source.indexOf("\n", start); at >= 0; at = source.indexOf("\n", at + 1)) {
    if (quote.test(source[at + 1] ?? "") && source[at + 2] === "@") return at + 3;
  }
  return -1;
}

/** A quote inside `$(…)` does not end the string: the string that was found then has an unpaired bracket. */
function expandable(source: string, start: number, end: number): Token {
  const [, ...evaluated] = source.slice(start, end < 0 ? undefined : end).split("$(");
  if (evaluated.length === 0) return { end, reason: null };
  const isWhole = evaluated.every((part) => {
    const brackets = part.replaceAll(/'[^']*'/gu, "");
    return brackets.split("(").length + 1 === brackets.split(")").length;
  });
  return { end: isWhole ? end : -1, reason: EVALUATED };
}
