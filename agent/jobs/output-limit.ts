import { OUTPUT_MAX_BYTES } from "../../schema/limits.ts";
import type { JsonObject, JsonValue } from "../../schema/contract/json.ts";

/**
 * Keeps an output within its limit (docs/design/limits.md#outputs): the largest values are cut first and keep their
 * beginnings. `truncated` and `droppedBytes` are set. A smaller output is returned unchanged.
 */
export function limitOutput(output: JsonObject, maxBytes = OUTPUT_MAX_BYTES): JsonObject {
  if (jsonBytes(output) <= maxBytes) return output;
  const { truncated, droppedBytes: droppedBefore = truncated === true ? null : 0, ...values } = output;
  const mark = (lost: number): JsonObject =>
    typeof droppedBefore === "number" ? { truncated: true, droppedBytes: droppedBefore + lost } : { truncated: true };
  const bySize = Object.entries(values)
    .map(([name, value]) => ({ name, value, bytes: jsonBytes(value) }))
    .sort((a, b) => b.bytes - a.bytes);
  let lost = 0;
  // The mark has room for any number of bytes.
  let excess = jsonBytes({ ...values, ...mark(Number.MAX_SAFE_INTEGER) }) - maxBytes;
  for (const { name, value, bytes } of bySize) {
    if (excess <= 0) break;
    const shortened = shorten(value, Math.max(0, bytes - excess));
    excess -= bytes - jsonBytes(shortened);
    lost += contentBytes(value) - contentBytes(shortened);
    values[name] = shortened;
  }
  const limited = { ...values, ...mark(lost) };
  // Only thousands of names, or an endless one, can still exceed the limit. Such an output is not worth keeping.
  return jsonBytes(limited) <= maxBytes ? limited : mark(jsonBytes(output));
}

/** The bytes of a text, and of any other value as JSON. */
function contentBytes(value: JsonValue): number {
  return typeof value === "string" ? Buffer.byteLength(value) : jsonBytes(value);
}

function shorten(value: JsonValue, maxBytes: number): JsonValue {
  if (typeof value === "string") return longestPrefix(value.length, maxBytes, (length) => cut(value, length)) ?? "";
  if (Array.isArray(value)) return longestPrefix(value.length, maxBytes, (length) => value.slice(0, length)) ?? [];
  if (value !== null && typeof value === "object") return shorten(JSON.stringify(value), maxBytes);
  return value;
}

/** The longest beginning whose JSON fits, by binary search. */
function longestPrefix<T extends JsonValue>(length: number, maxBytes: number, take: (length: number) => T): T | null {
  let low = 0;
  let high = length;
  if (jsonBytes(take(0)) > maxBytes) return null;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (jsonBytes(take(middle)) <= maxBytes) low = middle;
    else high = middle - 1;
  }
  return take(low);
}

/** Never cuts a surrogate pair. */
function cut(text: string, length: number): string {
  const last = text.charCodeAt(length - 1);
  const splits = length < text.length && last >= 0xd800 && last <= 0xdbff;
  return text.slice(0, splits ? length - 1 : length);
}

export function jsonBytes(value: JsonValue): number {
  return Buffer.byteLength(JSON.stringify(value));
}
