import type { JsonSchema } from "./types.ts";

/** The schema in `items`, `additionalProperties` and the like; undefined for a boolean or a list. */
export function subschema(inner: JsonSchema | boolean | (JsonSchema | boolean)[] | undefined): JsonSchema | undefined {
  return typeof inner === "object" && !Array.isArray(inner) ? inner : undefined;
}
