import type { JsonSchema } from "./types.ts";

/** The schema of `items`, `additionalProperties` and the like, where it says something. */
export function subschema(inner: JsonSchema | boolean | (JsonSchema | boolean)[] | undefined): JsonSchema | undefined {
  return typeof inner === "object" && !Array.isArray(inner) ? inner : undefined;
}
