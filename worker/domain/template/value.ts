import type { JsonValue } from "../../../schema/contract/json.ts";

/** The value of a path when a template is rendered; undefined when the path does not resolve. */
export type Resolve = (path: readonly string[]) => JsonValue | undefined;

/** A value inside longer text: undefined and null are empty, objects and lists are JSON. */
export function textOf(value: JsonValue | undefined): string {
  if (value === undefined || value === null) return "";
  if (typeof value === "string") return value;
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** Describes the first character of a text that is not allowed; null when all are. */
export function firstOther(text: string, allowed: RegExp): string | null {
  let position = 0;
  for (const char of text) {
    position += 1;
    if (!allowed.test(char)) return `its character ${position} is ${JSON.stringify(char)}`;
  }
  return null;
}
