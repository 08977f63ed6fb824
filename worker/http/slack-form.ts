import type { JsonValue } from "../../schema/contract/json.ts";
import { ProblemError } from "../services/problem.ts";
import { decodeBody, isBlank, parseJsonText, refuseCompression } from "./json-body.ts";
import type { BodyLimits } from "./json-body.ts";

/** Whether a request has the media type of Slack's commands and interactions. */
export function isForm(headers: Headers): boolean {
  return headers.get("Content-Type")?.split(";")[0]?.trim().toLowerCase() === "application/x-www-form-urlencoded";
}

/**
 * A form of Slack as JSON: the JSON in the field `payload` of an interaction, or the fields of a command. Of a field that
 * comes several times the first counts.
 */
export function parseSlackForm(
  bytes: Uint8Array,
  headers: Headers,
  limits: BodyLimits,
): { text: string; value: JsonValue; isForm: true } | undefined {
  if (isBlank(bytes)) return undefined;
  refuseCompression(headers);
  const fields = new URLSearchParams(decodeBody(bytes));
  const text = fields.get("payload") ?? JSON.stringify(Object.fromEntries([...fields].toReversed()));
  // As JSON, control characters are longer.
  if (text.length > limits.maxBytes) {
    throw new ProblemError("payload_too_large", `The form has more than ${limits.maxBytes} characters as JSON.`);
  }
  return { text, value: parseJsonText(text, limits), isForm: true };
}
