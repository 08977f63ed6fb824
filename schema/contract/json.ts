import { z } from "zod";

/** Any JSON value. */
export type JsonValue = string | number | boolean | null | JsonValue[] | JsonObject;
export type JsonObject = { [key: string]: JsonValue };

/** Not `z.json()`: it tries six schemas on every inner value, which takes a minute for a body of 4 MiB. */
export const jsonValueSchema: z.ZodType<JsonValue> = z.any().check((payload) => {
  const path: string[] = [];
  const copy = copyOf(payload.value, path);
  if (copy !== undefined) payload.value = copy;
  else payload.issues.push({ code: "custom", path, input: payload.value, message: "must be a JSON value" });
});
export const jsonObjectSchema: z.ZodType<JsonObject> = z.record(z.string(), jsonValueSchema);

/**
 * A copy without `__proto__` keys, as other schemas make one. Undefined for a value that JSON cannot hold, such as
 * `Infinity` or a date; `path` then leads to that value.
 */
function copyOf(value: unknown, path: string[]): JsonValue | undefined {
  if (typeof value === "string" || typeof value === "boolean" || value === null) return value;
  if (typeof value === "number") return Number.isFinite(value) ? value : undefined;
  if (!Array.isArray(value) && !isPlainObject(value)) return undefined;
  const list: JsonValue[] = [];
  const object: JsonObject = {};
  for (const [key, member] of Array.isArray(value) ? value.entries() : Object.entries(value)) {
    if (key === "__proto__") continue;
    const copy = copyOf(member, path);
    if (copy === undefined) {
      path.unshift(String(key));
      return undefined;
    }
    if (Array.isArray(value)) list.push(copy);
    else object[key] = copy;
  }
  return Array.isArray(value) ? list : object;
}

/** One text for equal values, with any order of an object's keys. */
export function canonicalJson(value: JsonValue): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.keys(value).toSorted();
  return `{${members.map((name) => `${JSON.stringify(name)}:${canonicalJson(value[name] ?? null)}`).join(",")}}`;
}

function isPlainObject(value: unknown): value is object {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
