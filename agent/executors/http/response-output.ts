import { TextDecoder } from "node:util";
import { type JsonObject, type JsonValue, jsonValueSchema } from "../../../schema/contract/json.ts";
import { STREAM_MAX_BYTES } from "../../../schema/limits.ts";
import { cutText } from "../shared/cut.ts";
import type { HttpResponse } from "./exchange.ts";
import type { ReadBody } from "./read-body.ts";

/** Three bytes become four characters of base64. */
const BINARY_MAX_BYTES = Math.floor(STREAM_MAX_BYTES / 4) * 3;
const TEXT_TYPE = /^text\/|[/+](json|xml|yaml|javascript|x-www-form-urlencoded|graphql|csv|x-ndjson)$/u;
const JSON_TYPE = /[/+]json$/u;

/**
 * The output of a response: `{statusCode, headers, body, bodyEncoding?, truncated?, droppedBytes?}`. JSON is parsed, other
 * text stays text, and anything else becomes base64, with `bodyEncoding`. Of a body that was not read to its end, the
 * dropped bytes are unknown.
 */
export function responseOutput(response: HttpResponse, read: ReadBody, secrets: readonly string[]): JsonObject {
  const headers: JsonObject = {};
  for (const [name, value] of Object.entries(response.headers)) if (value !== undefined) headers[name] = value;
  const { body, bodyEncoding, droppedBytes } = presented(headers["content-type"], read, secrets);
  return {
    statusCode: response.status,
    headers,
    body,
    ...(bodyEncoding === null ? {} : { bodyEncoding }),
    ...(read.truncated || read.brokenOff !== null
      ? { truncated: true }
      : droppedBytes > 0
        ? { truncated: true, droppedBytes }
        : {}),
  };
}

interface Presented {
  body: JsonValue;
  bodyEncoding: string | null;
  droppedBytes: number;
}

function presented(contentType: JsonValue | undefined, read: ReadBody, secrets: readonly string[]): Presented {
  const [type = "", ...parameters] = typeof contentType === "string" ? contentType.toLowerCase().split(";") : [];
  const charset = parameters
    .map((parameter) => /^\s*charset="?([^"]*)"?/u.exec(parameter)?.[1])
    .find((name) => name !== undefined);
  const text = read.encoding === null ? decodedText(read.bytes, type.trim(), charset, read.truncated) : null;
  if (text === null) return base64(read.bytes);
  const complete = !read.truncated && read.brokenOff === null;
  const json = complete && JSON_TYPE.test(type.trim()) ? parsedJson(text) : undefined;
  if (json !== undefined) return { body: json, bodyEncoding: null, droppedBytes: 0 };
  // A cut text is cut again so that no secret is split, because the limit may have fallen anywhere.
  const limitBytes = read.truncated ? Math.min(STREAM_MAX_BYTES, Buffer.byteLength(text) - 1) : STREAM_MAX_BYTES;
  const kept = cutText(text, limitBytes, secrets);
  return { body: kept.text, bodyEncoding: null, droppedBytes: kept.droppedBytes };
}

/**
 * Null for a body that is not text. Without a charset, a text type is UTF-8; another type is text only if all of it is
 * valid UTF-8.
 */
function decodedText(bytes: Buffer, type: string, charset: string | undefined, truncated: boolean): string | null {
  const declared = charset !== undefined || TEXT_TYPE.test(type);
  try {
    const decoder = new TextDecoder(charset ?? "utf-8", { fatal: !declared });
    // A cut body may end within a character, which does not make it binary.
    const text = decoder.decode(bytes, { stream: truncated });
    return !declared && text.includes("\0") ? null : text;
  } catch {
    // Also for an unknown charset.
    return declared ? bytes.toString("utf8") : null;
  }
}

function parsedJson(text: string): JsonValue | undefined {
  try {
    return jsonValueSchema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

function base64(bytes: Buffer): Presented {
  const body = bytes.subarray(0, BINARY_MAX_BYTES).toString("base64");
  return { body, bodyEncoding: "base64", droppedBytes: Math.max(0, bytes.length - BINARY_MAX_BYTES) };
}
