import type { ConnectionType } from "../../../../schema/contract/connection.ts";
import { jsonValueSchema } from "../../../../schema/contract/json.ts";
import type { JsonObject, JsonValue } from "../../../../schema/contract/json.ts";
import { objectOf } from "../../../../schema/contract/json-object.ts";
import type { ConnectionView } from "../../../../schema/contract/management.ts";
import { applies } from "./applies.ts";
import { configFields, startOf } from "./config-fields.ts";
import { labelsOf } from "./field-labels.ts";

/** A free field of a custom connection while it is being typed. `key` identifies the row. */
export interface NamedValue {
  key: string;
  name: string;
  value: string;
  /** The value is JSON, and not text. */
  isJson: boolean;
}
export type ConfigValue = string | number | boolean | readonly NamedValue[];

/** The values of a connection's form. */
export interface FormValues {
  name: string;
  /** The field of several hosts is absent on a connection to one. */
  config: Readonly<Record<string, ConfigValue>>;
  runsOn: "agent" | "pool" | "none";
  agentId: string | null;
  poolId: string;
}

let keys = 0;

export function namedValue(name = "", value: JsonValue = ""): NamedValue {
  keys += 1;
  const isText = typeof value === "string";
  return { key: `field-${keys}`, name, value: isText ? value : JSON.stringify(value), isJson: !isText };
}

export function startValues(type: ConnectionType): FormValues {
  const config = configFields(type).flatMap((field): [string, ConfigValue][] =>
    labelsOf(type, field.name).inPlaceOf === undefined
      ? [[field.name, field.kind === "names" ? [namedValue()] : startOf(type, field)]]
      : [],
  );
  const runsOn = type === "notification" ? "none" : "agent";
  return { name: "", config: Object.fromEntries(config), runsOn, agentId: null, poolId: "" };
}

export function valuesOf({ name, type, config, agentId, poolId }: ConnectionView): FormValues {
  const filled = configFields(type).flatMap((field): [string, ConfigValue][] => {
    const stored = config[field.name];
    if (field.kind === "names") return [[field.name, namedValuesOf(stored)]];
    if (stored === undefined && labelsOf(type, field.name).inPlaceOf !== undefined) return [];
    if (Array.isArray(stored)) return [[field.name, stored.join("\n")]];
    const plain = typeof stored === "string" || typeof stored === "number" || typeof stored === "boolean";
    return [[field.name, plain ? stored : (field.preset ?? (field.kind === "boolean" ? false : ""))]];
  });
  const runsOn = agentId !== null ? "agent" : poolId !== null ? "pool" : "none";
  return { name, config: Object.fromEntries(filled), runsOn, agentId, poolId: poolId ?? "" };
}

function namedValuesOf(stored: JsonValue | undefined): NamedValue[] {
  const fields = objectOf(stored);
  return Object.entries(fields).map(([name, value]) => namedValue(name, value));
}

/** The configuration to send, without empty fields and fields that do not apply. */
export function toConfig(type: ConnectionType, config: FormValues["config"]): JsonObject {
  const sent: JsonObject = {};
  for (const { name, kind } of configFields(type)) {
    const value = config[name];
    if (value === undefined || !applies(type, name, config)) continue;
    const isChosen = labelsOf(type, name).inPlaceOf !== undefined;
    if (kind === "lines" && typeof value === "string" && (isChosen || value.trim() !== "")) sent[name] = linesOf(value);
    if (value === "" || kind === "lines") continue;
    if (typeof value !== "object") sent[name] = typeof value === "string" ? value.trim() : value;
    else sent[name] = Object.fromEntries(value.filter((row) => !isBlank(row)).map((row) => [row.name, readValue(row)]));
  }
  return sent;
}

/** The entries of a list, without empty lines: the index of an entry can differ from that of its line. */
export function linesOf(text: string): string[] {
  return text.split("\n").flatMap((line) => (line.trim() === "" ? [] : [line.trim()]));
}

export function isBlank({ name, value }: NamedValue): boolean {
  return name === "" && value === "";
}

/** The value of a row. Invalid JSON stays text, and `isUnreadable` reports it. */
function readValue({ value, isJson }: NamedValue): JsonValue {
  const read = isJson ? parsed(value) : value;
  return read === undefined ? value : read;
}

export function isUnreadable({ value, isJson }: NamedValue): boolean {
  return isJson && parsed(value) === undefined;
}

function parsed(text: string): JsonValue | undefined {
  try {
    return jsonValueSchema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

export function toAssignment({ runsOn, agentId, poolId }: FormValues) {
  return {
    agentId: runsOn === "agent" ? agentId : null,
    poolId: runsOn === "pool" ? poolId.trim() : null,
  };
}

/** The changes that an edit sends: only the fields that differ from the opened state. */
export function changesOf(type: ConnectionType, before: FormValues, after: FormValues) {
  const [config, assignment] = [toConfig(type, after.config), toAssignment(after)];
  return {
    ...(before.name.trim() === after.name.trim() ? {} : { name: after.name }),
    ...(isSame(toConfig(type, before.config), config) ? {} : { config }),
    ...(isSame(toAssignment(before), assignment) ? {} : assignment),
  };
}

function isSame(one: object, other: object): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
