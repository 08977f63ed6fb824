import type { FieldError } from "../../schema/contract/problem.ts";
import type { JsonValue } from "../../schema/contract/json.ts";
import { jsonExtent } from "../domain/json-extent.ts";
import { ProblemError } from "../services/problem.ts";
import { readBytes } from "./read-bytes.ts";
import type { ByteLimits } from "./read-bytes.ts";

export interface BodyLimits extends ByteLimits {
  maxDepth: number;
  /** The most texts, numbers, lists and objects, at any depth; no limit without it. */
  maxValues?: number;
}

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false });

/**
 * Reads a JSON body within its limits. An absent or blank body gives undefined, for any content type
 * (docs/design/http-api.md#request-bodies). Throws `payload_too_large`, `unsupported_media_type` or `invalid_request`,
 * in this order.
 */
export async function readJsonBody(
  request: Request,
  limits: BodyLimits,
): Promise<{ text: string; value: JsonValue } | undefined> {
  return parseJsonBytes(await readBytes(request, limits), request.headers, limits);
}

/** The same for bytes that were read. */
export function parseJsonBytes(
  bytes: Uint8Array,
  headers: Headers,
  limits: BodyLimits,
): { text: string; value: JsonValue } | undefined {
  if (isBlank(bytes)) return undefined;
  refuseCompression(headers);
  refuseOtherThanJson(headers);
  const text = decodeBody(bytes);
  return { text, value: parseJsonText(text, limits) };
}

/** Whether a media type, in lower case and without parameters, is JSON. The characters are those of RFC 6838, 4.2. */
export function isJsonType(contentType: string): boolean {
  return /^[a-z0-9][a-z0-9!#$&^_.+-]*\/(?:[a-z0-9][a-z0-9!#$&^_.+-]*\+)?json$/u.test(contentType);
}

/** Nothing, or white space of JSON. */
export function isBlank(bytes: Uint8Array): boolean {
  return bytes.every((byte) => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09);
}

export function refuseCompression(headers: Headers): void {
  // The platform does not decompress request bodies.
  const encoding = (headers.get("Content-Encoding") ?? "identity").trim().toLowerCase();
  if (encoding !== "identity" && encoding !== "") {
    throw new ProblemError("unsupported_media_type", "Send the body without compression: no Content-Encoding.");
  }
}

function refuseOtherThanJson(headers: Headers): void {
  const contentType = (headers.get("Content-Type") ?? "").split(";")[0]?.trim().toLowerCase() ?? "";
  if (!isJsonType(contentType)) {
    throw new ProblemError("unsupported_media_type", "Send the body as JSON, with Content-Type: application/json.");
  }
}

/** Throws `invalid_request` for other bytes than UTF-8. */
export function decodeBody(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch (cause) {
    throw invalid("The body is not valid UTF-8.", [], cause);
  }
}

/** Throws `invalid_request` for a text that is no JSON within the limits. */
export function parseJsonText(text: string, { maxDepth, maxValues = Infinity }: BodyLimits): JsonValue {
  const { depth, values } = jsonExtent(text);
  if (depth > maxDepth) throw invalid(`The body nests deeper than ${maxDepth} levels. Flatten it.`);
  if (values > maxValues)
    throw invalid(`The body has more than ${maxValues} values. Send fewer, or a list as one text.`);
  let value: JsonValue;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    const { detail, errors } = whereItFails(text, cause);
    throw invalid(`The body is not valid JSON${detail}. Check it with a JSON linter.`, errors, cause);
  }
  const path = MAY_NAME_PROTO.test(text) ? pathOfProtoKey(value) : null;
  if (path !== null) {
    throw invalid("The body has a key __proto__, which is not accepted. Rename it.", [
      { path, message: "is not accepted as a key" },
    ]);
  }
  return value;
}

/** The place of the error, if the parser names it. The parser's message is not passed on: it quotes the body. */
function whereItFails(text: string, cause: unknown): { detail: string; errors: FieldError[] } {
  const message = cause instanceof Error ? cause.message : "";
  if (message.startsWith("Unexpected end")) return { detail: ": it ends too early", errors: [] };
  const position = / at position (\d+)/u.exec(message)?.[1];
  if (position === undefined) return { detail: "", errors: [] };
  const before = text.slice(0, Number(position)).split("\n");
  const [line, column] = [before.length, (before.at(-1) ?? "").length + 1];
  return {
    detail: `: see line ${line}, column ${column}`,
    errors: [{ path: "", message: "is not valid JSON from here on", line, column }],
  };
}

/** The name itself, or an escape of one of its letters. Other texts need no walk through their keys. */
const MAY_NAME_PROTO = /__proto__|\\u00(?:5f|70|72|6f|74)/iu;

function pathOfProtoKey(value: JsonValue): string | null {
  if (typeof value !== "object" || value === null) return null;
  for (const [key, inner] of Object.entries(value)) {
    if (key === "__proto__") return key;
    const path = pathOfProtoKey(inner);
    if (path !== null) return `${key}.${path}`;
  }
  return null;
}

function invalid(detail: string, errors: FieldError[] = [], cause?: unknown): ProblemError {
  return new ProblemError("invalid_request", detail, { errors, cause });
}
