import type { JsonObject, JsonValue } from "../../../schema/contract/json.ts";
import { isRefusal, type Reply } from "./resp.ts";

/** Bytes as text, or in Base64 if they are not valid UTF-8. */
export function toText(bytes: Buffer): JsonObject {
  const text = bytes.toString("utf8");
  const isText = Buffer.from(text, "utf8").equals(bytes);
  return isText ? { value: text, encoding: "utf8" } : { value: bytes.toString("base64"), encoding: "base64" };
}

/** A reply as JSON. Bytes that are no text become `{"base64": …}`; an error within a list becomes `{"error": …}`. */
export function toJson(reply: Reply): JsonValue {
  if (Buffer.isBuffer(reply)) {
    const { value = null, encoding } = toText(reply);
    return encoding === "base64" ? { base64: value } : value;
  }
  if (Array.isArray(reply)) return reply.map(toJson);
  return reply !== null && isRefusal(reply) ? { error: reply.error } : reply;
}
