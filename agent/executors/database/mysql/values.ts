import { type QueryOptions, TypedParameter } from "mysql2";
import type { SqlValue } from "../../../../schema/contract/sql-values.ts";
import type { JsonValue } from "../../../../schema/contract/json.ts";
import { exactJson, exactNumber, toJsonValue } from "../json-values.ts";

type TypeCast = Exclude<QueryOptions["typeCast"], boolean | undefined>;
type BoundValue = string | number | null | ReturnType<typeof TypedParameter.LONGLONG>;

/**
 * Reads a column's value as JSON; mysql2 calls it for each value. DATETIME and TIMESTAMP keep the session's time zone,
 * as the server shows them: another session time zone would change what NOW() means in the statement.
 */
export const readColumn: TypeCast = (field, next) => {
  const value: unknown = next();
  if (value === null || value === undefined) return null;
  const type: string = field.type;
  switch (type) {
    case "DATETIME":
    case "DATETIME2":
    case "TIMESTAMP":
    case "TIMESTAMP2":
      return String(value).replace(" ", "T");
    case "DECIMAL":
    case "NEWDECIMAL":
    case "LONGLONG":
      return exactNumber(String(value));
    case "FLOAT":
      return typeof value === "number" ? shortestFloat(value) : toJsonValue(value);
    case "BIT":
      return value instanceof Uint8Array ? bits(value) : toJsonValue(value);
    case "JSON":
      return exactJson(String(value));
    default:
      return "extendedFormat" in field && field.extendedFormat === "json"
        ? exactJson(String(value))
        : toJsonValue(value);
  }
};

/** Whole numbers are sent as integers, because LIMIT takes no others. True and false are 1 and 0, as in SQL. */
export function toMysql(value: SqlValue): BoundValue {
  if (typeof value === "boolean") return TypedParameter.LONGLONG(value ? 1 : 0);
  return typeof value === "number" && Number.isSafeInteger(value) ? TypedParameter.LONGLONG(value) : value;
}

/** A FLOAT has about seven digits. As a double it would show digits that were never stored. */
function shortestFloat(value: number): JsonValue {
  for (let digits = 6; digits <= 9; digits += 1) {
    const short = Number(value.toPrecision(digits));
    if (Math.fround(short) === value) return short;
  }
  return toJsonValue(value);
}

function bits(bytes: Uint8Array): number | string {
  let number = 0n;
  for (const byte of bytes) number = (number << 8n) | BigInt(byte);
  return exactNumber(number.toString());
}
