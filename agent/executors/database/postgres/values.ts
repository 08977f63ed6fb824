import type { SqlValue } from "../../../../schema/contract/sql-values.ts";
import type { JsonValue } from "../../../../schema/contract/json.ts";
import { exactJson, exactNumber } from "../json-values.ts";
import { parseArray } from "./arrays.ts";

type Read = (text: string) => JsonValue;

const float: Read = (text) => (Number.isFinite(Number(text)) ? Number(text) : text);
const bytes: Read = (text) => (text.startsWith("\\x") ? Buffer.from(text.slice(2), "hex").toString("base64") : text);

/** Types by number (pg_type.dat). Values of all other types stay text, as the server shows them. */
const SCALARS = new Map<number, Read>([
  [16, (text) => text === "t"],
  [17, bytes],
  [20, exactNumber],
  [21, exactNumber],
  [23, exactNumber],
  [26, exactNumber],
  [114, exactJson],
  [700, float],
  [701, float],
  [1114, (text) => text.replace(" ", "T")],
  [1184, instantInUtc],
  [1700, exactNumber],
  [3802, exactJson],
]);
/** Array types with the type of their elements; 0 for text elements. */
const ARRAYS = new Map([
  ...[
    [1000, 16],
    [1001, 17],
    [1016, 20],
    [1005, 21],
    [1007, 23],
    [1028, 26],
    [199, 114],
    [1021, 700],
    [1022, 701],
    [1115, 1114],
    [1185, 1184],
    [1231, 1700],
    [3807, 3802],
  ].map(([array = 0, element = 0]) => [array, element] as const),
  // text, varchar, bpchar, name, date, time, uuid, inet
  ...[1009, 1015, 1014, 1003, 1182, 1183, 2951, 1041].map((array) => [array, 0] as const),
]);
const INSTANT = /^(\d{4,6}-\d\d-\d\d) (\d\d:\d\d:\d\d)(\.\d+)?([+-]\d\d)(?::?(\d\d))?(?::(\d\d))?$/u;

/** A value as JSON, from the server's text and the number of its type. */
export function fromPostgres(text: string | null | undefined, typeId: number): JsonValue {
  if (text === null || text === undefined) return null;
  const element = ARRAYS.get(typeId);
  if (element !== undefined) return parseArray(text, (item) => fromPostgres(item, element));
  return SCALARS.get(typeId)?.(text) ?? text;
}

/** Values are sent as text without a type. The server infers the type from their place in the statement. */
export function toPostgres(value: SqlValue): string | null {
  return value === null ? null : String(value);
}

/** `2026-01-31 10:00:00.123456+02` becomes `2026-01-31T08:00:00.123456Z`. Infinity and dates BC stay unchanged. */
function instantInUtc(text: string): string {
  const parts = INSTANT.exec(text);
  if (parts === null) return text;
  const [, date = "", time = "", fraction = "", hours = "+00", minutes = "00", seconds = "00"] = parts;
  const local = Date.parse(`${date}T${time}Z`);
  if (Number.isNaN(local)) return text;
  const size = (Math.abs(Number(hours)) * 60 + Number(minutes)) * 60 + Number(seconds);
  const instant = new Date(local - (hours.startsWith("-") ? -size : size) * 1_000);
  return `${instant.toISOString().slice(0, -".000Z".length)}${fraction}Z`;
}
