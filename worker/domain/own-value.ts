import type { JsonValue } from "../../schema/contract/json.ts";

const INDEX = /^(?:0|[1-9][0-9]{0,9})$/u;

/** Follows a path through own properties and array indexes, never into a prototype. */
export function ownValue(value: JsonValue | undefined, path: readonly string[]): JsonValue | undefined {
  let current = value;
  for (const part of path) {
    if (Array.isArray(current)) current = isIndex(part) ? current[Number(part)] : undefined;
    else if (typeof current === "object" && current !== null) {
      current = Object.hasOwn(current, part) ? current[part] : undefined;
    } else return undefined;
  }
  return current;
}

/** Whether a part of a path can name a member of a list. */
export function isIndex(part: string): boolean {
  return INDEX.test(part);
}
