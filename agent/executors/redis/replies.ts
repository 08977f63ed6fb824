import type { JsonObject, JsonValue } from "../../../schema/contract/json.ts";

/** Bytes as text, or in Base64 where they are none. */
export function toText(bytes: Buffer): JsonObject {
  const text = bytes.toString("utf8");
  const isText = Buffer.from(text, "utf8").equals(bytes);
  return isText ? { value: text, encoding: "utf8" } : { value: bytes.toString("base64"), encoding: "base64" };
}

/** A reply as JSON. Bytes that are no text become `{"base64": …}`; an error within a list becomes `{"error": …}`. */
export function toJson(reply: unknown): JsonValue {
  if (Buffer.isBuffer(reply)) {
    const { value = null, encoding } = toText(reply);
    return encoding === "base64" ? { base64: value } : value;
  }
  if (Array.isArray(reply)) return reply.map(toJson);
  if (reply instanceof Error) return { error: reply.message };
  if (typeof reply === "object" && reply !== null) {
    return Object.fromEntries(Object.entries(reply).map(([name, value]) => [name, toJson(value)]));
  }
  return typeof reply === "string" || typeof reply === "number" || typeof reply === "boolean" ? reply : null;
}
