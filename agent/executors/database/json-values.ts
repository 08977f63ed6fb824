import type { JsonValue } from "../../../schema/contract/json.ts";

/**
 * A database's value as JSON can hold it, without losing anything: whole numbers beyond ±(2^53 − 1), NaN and Infinity
 * become text, bytes base64, a date its ISO text in UTC. What is an object or a list already is taken apart the same way.
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

/** A number's text as a JSON number where that keeps every digit, otherwise as the text that it is. */
export function exactNumber(text: string): number | string {
  const value = Number(text);
  if (text.trim() === "" || !Number.isFinite(value)) return text;
  return decimalForm(String(value)) === decimalForm(text) ? value : text;
}

/** Reads JSON text; numbers in it keep their digits as above. A text that is not JSON stays a text. */
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

/** The same for every spelling of a number: its digits without zeros at either end, and the power of ten behind them. */
function decimalForm(text: string): string {
  const [mantissa = "", power = "0"] = text.toLowerCase().split("e");
  const negative = mantissa.startsWith("-");
  const [whole = "", fraction = ""] = mantissa.replace(/^[+-]/u, "").split(".");
  const significant = `${whole}${fraction}`.replace(/^0+/u, "");
  const digits = significant.replace(/0+$/u, "");
  if (digits === "") return "0";
  return `${negative ? "-" : ""}${digits}e${Number(power) - fraction.length + significant.length - digits.length}`;
}
