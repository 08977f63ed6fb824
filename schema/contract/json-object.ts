import type { JsonObject, JsonValue } from "./json.ts";

/** For values that came out of JSON. Without zod, which the console loads late. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The value, if it is an object; an empty one if not. */
export function objectOf(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}
