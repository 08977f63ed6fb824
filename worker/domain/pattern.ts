import { RE2JS } from "re2js";

const MAX_CACHED = 500;
/** Time is linear in the text, and in this: so many steps of the pattern's program take about a second for 100 KB. */
const MAX_PROGRAM_SIZE = 500;
/** Compiling itself takes time and memory before the program's size is known: seconds for a few megabytes. */
const MAX_PATTERN_CHARS = 4_096;

/** Compiling costs more than matching; patterns come from definitions, so the same ones come again and again. */
const compiled = new Map<string, RE2JS | string>();

/** Why a pattern cannot be used, in words; null when it can. The syntax is RE2's: no look-around, no back-references. */
export function patternProblem(pattern: string): string | null {
  const result = compile(pattern);
  return typeof result === "string" ? result : null;
}

/** Whether the pattern is found in the text, in time linear in its length (design 5). A bad pattern is found nowhere. */
export function matchesPattern(pattern: string, text: string): boolean {
  const result = compile(pattern);
  return typeof result !== "string" && result.matcher(text).find();
}

function compile(pattern: string): RE2JS | string {
  // Not remembered either: that would keep it in memory.
  if (pattern.length > MAX_PATTERN_CHARS) return `must have at most ${MAX_PATTERN_CHARS} characters`;
  const known = compiled.get(pattern);
  if (known !== undefined) return known;
  if (compiled.size >= MAX_CACHED) {
    const [oldest] = compiled.keys();
    if (oldest !== undefined) compiled.delete(oldest);
  }
  const result = tryCompile(pattern);
  compiled.set(pattern, result);
  return result;
}

function tryCompile(pattern: string): RE2JS | string {
  try {
    const compiled = RE2JS.compile(pattern);
    return compiled.programSize() <= MAX_PROGRAM_SIZE
      ? compiled
      : "is too large to be matched quickly: use fewer or smaller repeats such as {0,1000}";
  } catch (error) {
    const said = error instanceof Error ? error.message : String(error);
    return `is not a pattern in RE2 syntax: ${said.replace(/^error parsing regexp: /u, "")}`;
  }
}
