import { RE2JS } from "re2js";

const MAX_CACHED = 500;

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
    return RE2JS.compile(pattern);
  } catch (error) {
    const said = error instanceof Error ? error.message : String(error);
    return `is not a pattern in RE2 syntax: ${said.replace(/^error parsing regexp: /u, "")}`;
  }
}
