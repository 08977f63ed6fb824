import { TYPES } from "tedious";
import type { JsonValue } from "../../../../schema/contract/json.ts";
import type { SqlValue } from "../../../../schema/contract/sql-values.ts";
import { exactNumber, toJsonValue } from "../json-values.ts";
import { readNumbersExactly } from "./exact-numbers.ts";

readNumbersExactly();

const INT_MAX = 2 ** 31;

export interface Column {
  value: unknown;
  metadata: { type: { name: string }; scale?: number | undefined };
}

/** The type that a value is declared with. NULL is declared as text, which converts to almost every other type. */
export function parameterType(value: SqlValue) {
  switch (typeof value) {
    case "boolean":
      return TYPES.Bit;
    case "number":
      if (!Number.isSafeInteger(value)) return TYPES.Float;
      return value >= -INT_MAX && value < INT_MAX ? TYPES.Int : TYPES.BigInt;
    default:
      return TYPES.NVarChar;
  }
}

/**
 * A value as JSON: numbers if JSON keeps every digit, otherwise their text; bytes as base64; dates and times as ISO
 * text, without a zone for types without one, otherwise in UTC.
 */
export function fromSqlServer({ value, metadata }: Column): JsonValue {
  if (value instanceof Date) return timeText(value, metadata);
  // BigInt, Decimal, Numeric and Money arrive as text.
  const numeric = /^(BigInt|IntN|Decimal|DecimalN|Numeric|NumericN|Money|MoneyN|SmallMoney)$/u.test(metadata.type.name);
  return numeric && typeof value === "string" ? exactNumber(value) : toJsonValue(value);
}

function timeText(value: Date, { type, scale }: Column["metadata"]): JsonValue {
  if (Number.isNaN(value.getTime())) return null;
  const [date = "", time = ""] = value.toISOString().slice(0, -1).split("T");
  const [seconds = "", milliseconds = "000"] = time.split(".");
  const exact = `${seconds}${fraction(milliseconds, tenMillionths(value), scale ?? 3)}`;
  switch (type.name) {
    case "Date":
      return date;
    case "Time":
      return exact;
    case "DateTimeOffset":
      return `${date}T${exact}Z`;
    case "SmallDateTime":
      return `${date}T${seconds}`;
    default:
      return `${date}T${exact}`;
  }
}

/** The part of a time that a Date cannot hold, which tedious adds in seconds. */
function tenMillionths(value: Date): number {
  const delta: unknown = Object.getOwnPropertyDescriptor(value, "nanosecondsDelta")?.value;
  return typeof delta === "number" ? Math.round(delta * 1e7) : 0;
}

function fraction(milliseconds: string, extra: number, scale: number): string {
  const digits = `${milliseconds}${String(extra).padStart(4, "0")}`.slice(0, scale);
  return digits === "" ? "" : `.${digits}`;
}
