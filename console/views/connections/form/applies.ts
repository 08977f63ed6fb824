import type { ConnectionType } from "../../../../schema/contract/connection.ts";
import type { JsonObject, JsonValue } from "../../../../schema/contract/json.ts";
import { labelsOf } from "./field-labels.ts";

export type Given = Readonly<Record<string, unknown>>;

/** Whether a field has a meaning with the other values. A field without one is neither shown nor sent. */
export function applies(type: ConnectionType, name: string, config: Given): boolean {
  return labelsOf(type, name).when?.(config) ?? true;
}

/** The fields of a configuration that have a meaning with the other values. */
export function meaningful(type: ConnectionType, config: JsonObject): [name: string, value: JsonValue][] {
  return Object.entries(config).filter(([name]) => applies(type, name, config));
}
