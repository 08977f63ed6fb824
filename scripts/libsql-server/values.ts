import { malformed } from "./errors.ts";

/**
 * A value as bun:sqlite takes and returns it. A returned INTEGER is always a bigint, so a number is a REAL. But a number
 * without a fraction is bound as INTEGER, also when the client sent a float. An INTEGER column stores the same
 * either way, and a TEXT column gets no numbers. Arithmetic such as `? / 2` differs, so give it a cast.
 */
export type SqlValue = bigint | number | string | Uint8Array | null;

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
      if (typeof content === "string" && DECIMAL.test(content)) {
        const integer = BigInt(content);
        if (BigInt.asIntN(64, integer) === integer) return integer;
      }
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

/** JSON has no infinity, but every parser reads 1e999 as one. SQLite stores no NaN. */
function encodeFloat(value: number): string {
  if (Number.isFinite(value)) return Object.is(value, -0) ? "-0.0" : String(value);
  return value > 0 ? "1e999" : "-1e999";
}

/** Without padding, as libSQL's own server sends it. */
function encodeBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64").replace(/=+$/, "");
}
