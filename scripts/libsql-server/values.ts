import { malformed } from "./errors.ts";

/** A value as bun:sqlite binds and returns it: INTEGER is always a bigint, so a number is always a REAL. */
export type SqlValue = bigint | number | string | Uint8Array | null;

const INT64_MIN = -(2n ** 63n);
const INT64_MAX = 2n ** 63n - 1n;
const DECIMAL = /^-?\d{1,19}$/;
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

/**
 * Hrana's JSON value: integers are decimal strings because JSON numbers end at 53 bits, blobs are base64, padded or
 * not.
 */
export function decodeValue(value: Record<string, unknown>): SqlValue {
  const content = value["value"];
  switch (value["type"]) {
    case "null":
      return null;
    case "text":
      if (typeof content === "string") return content;
      break;
    case "float":
      if (typeof content === "number") return content;
      break;
    case "integer":
      if (typeof content === "string" && DECIMAL.test(content)) return int64(BigInt(content));
      break;
    case "blob": {
      const base64 = value["base64"];
      if (typeof base64 === "string" && BASE64.test(base64)) return new Uint8Array(Buffer.from(base64, "base64"));
      break;
    }
  }
  throw malformed("a value must be null, integer (a decimal string of 64 bits), float, text or blob (base64)");
}

export function encodeValue(value: SqlValue): string {
  if (value === null) return '{"type":"null"}';
  switch (typeof value) {
    case "string":
      return `{"type":"text","value":${JSON.stringify(value)}}`;
    case "bigint":
      return `{"type":"integer","value":"${value}"}`;
    case "number":
      return `{"type":"float","value":${encodeFloat(value)}}`;
    case "object":
      return `{"type":"blob","base64":"${encodeBase64(value)}"}`;
  }
}

function int64(value: bigint): bigint {
  if (value < INT64_MIN || value > INT64_MAX) throw malformed(`the integer ${value} does not fit into 64 bits`);
  return value;
}

/** JSON has no infinity, but every parser reads 1e999 as one. SQLite stores no NaN. */
function encodeFloat(value: number): string {
  if (Number.isFinite(value)) return Object.is(value, -0) ? "-0.0" : String(value);
  return value > 0 ? "1e999" : "-1e999";
}

/** Without padding, as libSQL's own server sends it. */
function encodeBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64").replace(/=+$/, "");
}
