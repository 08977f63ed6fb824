import type { JsonValue } from "../../../schema/contract/json.ts";

/**
 * A database's value as JSON, without loss: whole numbers beyond ±(2^53 − 1), NaN and Infinity become text, bytes
 * become base64, a date becomes ISO text in UTC. Objects and lists are converted member by member.
 */
export function toJsonValue(value: unknown): JsonValue {
  switch (typeof value) {
    case "string":
    case "boolean":
      return value;
    case "number":
      return Number.isFinite(value) ? value : String(value);
    case "bigint":
      return exactNumber(value.toString());
    case "object":
      return value === null ? null : fromObject(value);
    case "undefined":
      return null;
    case "symbol":
    case "function":
      return String(value);
  }
}

/** A number's text as a JSON number if that keeps every digit, otherwise unchanged. */
export function exactNumber(text: string): number | string {
  const value = Number(text);
  if (text.trim() === "" || !Number.isFinite(value)) return text;
  return decimalForm(String(value)) === decimalForm(text) ? value : text;
}

/** Parses JSON text; numbers keep their digits as above. Other text is returned unchanged. */
export function exactJson(text: string): JsonValue {
  try {
    return toJsonValue(JSON.parse(text, exactReviver));
  } catch {
    return text;
  }
}

function exactReviver(_key: string, value: unknown, context?: { source?: string }): unknown {
  return typeof value === "number" && context?.source !== undefined ? exactNumber(context.source) : value;
}

function fromObject(value: object): JsonValue {
  if (value instanceof Uint8Array) return Buffer.from(value).toString("base64");
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString();
  if (Array.isArray(value)) return value.map(toJsonValue);
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, toJsonValue(inner)]));
}

/** The same text for every spelling of a number: its digits without zeros at either end, and the exponent. */
function decimalForm(text: string): string {
  const [mantissa = "", power = "0"] = text.toLowerCase().split("e");
  const negative = mantissa.startsWith("-");
  const [whole = "", fraction = ""] = mantissa.replace(/^[+-]/u, "").split(".");
  const significant = `${whole}${fraction}`.replace(/^0+/u, "");
  const digits = significant.replace(/0+$/u, "");
  if (digits === "") return "0";
  return `${negative ? "-" : ""}${digits}e${Number(power) - fraction.length + significant.length - digits.length}`;
}
