import { RE2JS } from "re2js";
import type { Steps } from "./steps.ts";
import { BoundedMap } from "./bounded-map.ts";

const MAX_CACHED = 500;
/** Matching is linear in the text and in the program's size: a program of this size takes about a second for 100 KB. */
const MAX_PROGRAM_SIZE = 500;
/** Compiling takes time and memory before the program's size is known: seconds for a few megabytes. */
const MAX_PATTERN_CHARS = 4_096;
/** With repeats expanded: `a{1000}` five hundred times takes most of a second. */
const MAX_WRITTEN_OUT_CHARS = 8_192;
/** The cost of compiling, measured with the worst patterns: `(?i)` folds wide classes character by character. */
const STEPS_OF_CHAR = 100;
const STEPS_OF_CHAR_IN_WIDE_CLASS = 3_500;
const TOO_LARGE = "is too large to be matched quickly: use fewer or smaller repeats such as {0,1000}";

/** Compiling costs more than matching, and the same patterns of definitions are used often. */
const compiled = new BoundedMap<string, RE2JS | string>(MAX_CACHED);

/** The reason why a pattern cannot be used, else null. RE2's syntax has no look-around and no back-references. */
export function patternProblem(pattern: string, steps?: Steps): string | null {
  if (pattern.length <= MAX_PATTERN_CHARS) steps?.spend(compiling(pattern).steps);
  const result = compile(pattern);
  return typeof result === "string" ? result : null;
}

/** The most that a search can cost: compiling the pattern, and running its program on every character. */
export function matchSteps(pattern: string, text: string): number {
  const result = compile(pattern);
  return typeof result === "string" ? 0 : compiling(pattern).steps + (text.length * result.programSize()) / 6;
}

/**
 * Whether the text contains the pattern, in time linear in its length (docs/design/workflows.md#conditions). A bad
 * pattern is never found.
 */
export function matchesPattern(pattern: string, text: string): boolean {
  const result = compile(pattern);
  return typeof result !== "string" && result.matcher(text).find();
}

function compile(pattern: string): RE2JS | string {
  // Not cached either, which would keep it in memory.
  if (pattern.length > MAX_PATTERN_CHARS) return `must have at most ${MAX_PATTERN_CHARS} characters`;
  const known = compiled.get(pattern);
  if (known !== undefined) return known;
  const result = tryCompile(pattern);
  compiled.set(pattern, result);
  return result;
}

function tryCompile(pattern: string): RE2JS | string {
  if (compiling(pattern).writtenOutChars > MAX_WRITTEN_OUT_CHARS) return TOO_LARGE;
  try {
    const compiled = RE2JS.compile(pattern);
    return compiled.programSize() <= MAX_PROGRAM_SIZE ? compiled : TOO_LARGE;
  } catch (error) {
    const said = error instanceof Error ? error.message : String(error);
    return `is not a pattern in RE2 syntax: ${said.replace(/^error parsing regexp: /u, "")}`;
  }
}

const TOKEN = /\\(?:[xpP]\{[^}]*\}?|.)?|\[\^?\]?(?:\[:[^\]]*\]|\\.|[^\]\\])*\]?|\{\d+(?:,\d*)?\}|./gsu;
// oxlint-disable-next-line no-control-regex
const WIDE = /^(?:\\[pPx]|\[.*(?:[^\u0000-\u007f]|\\[pPx]))/su;

/** The length of a pattern with each repeat such as `{0,9}` expanded, and the cost of compiling it. */
function compiling(pattern: string): { writtenOutChars: number; steps: number } {
  /** Of the whole pattern, and of each open group. */
  const chars = [0];
  let wide = 0;
  let last = 0;
  const add = (more: number) => chars.push((chars.pop() ?? 0) + more);
  for (const [token] of pattern.matchAll(TOKEN)) {
    if (WIDE.test(token)) wide += token.length;
    if (token === "(") chars.push(2);
    else if (/^\{\d/u.test(token)) {
      const times = Math.max(...token.slice(1, -1).split(",").map(Number));
      add(last * (times - 1));
      last *= times;
    } else {
      last = token === ")" && chars.length > 1 ? (chars.pop() ?? 0) : token.length;
      add(last);
    }
  }
  const writtenOutChars = chars.reduce((sum, more) => sum + more, 0);
  return { writtenOutChars, steps: writtenOutChars * STEPS_OF_CHAR + wide * STEPS_OF_CHAR_IN_WIDE_CLASS };
}
