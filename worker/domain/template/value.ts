import type { JsonValue } from "../../../schema/contract/json.ts";

/** What a path stands for where a template is rendered; undefined when it does not resolve. */
export type Resolve = (path: readonly string[]) => JsonValue | undefined;

/** A value inside longer text: nothing and null are empty, objects and lists are JSON. */
export function textOf(value: JsonValue | undefined): string {
  if (value === undefined || value === null) return "";
  if (typeof value === "string") return value;
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** Says which character of a text is the first that may not be in it; null when all may. */
export function firstOther(text: string, allowed: RegExp): string | null {
  let position = 0;
  for (const char of text) {
    position += 1;
    if (!allowed.test(char)) return `its character ${position} is ${JSON.stringify(char)}`;
  }
  return null;
}
