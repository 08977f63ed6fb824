import type { ConnectionType } from "../../../../schema/contract/connection.ts";
import type { JsonObject, JsonValue } from "../../../../schema/contract/json.ts";

export type Given = Readonly<Record<string, unknown>>;

export const isServer = (config: Given) => config["driver"] !== "sqlite";
const ONLY_WHEN: Partial<Record<ConnectionType, Readonly<Record<string, (config: Given) => boolean>>>> = {
  http: { apiKeyHeader: (config) => config["authType"] === "apiKey" },
  database: { host: isServer, port: isServer, tls: isServer },
};

/** Whether a field means anything beside the others: one that does not is neither shown nor sent. */
export function applies(type: ConnectionType, name: string, config: Given): boolean {
  return ONLY_WHEN[type]?.[name]?.(config) ?? true;
}

/** The fields of a configuration, without those that mean nothing beside the others. */
export function meaningful(type: ConnectionType, config: JsonObject): [name: string, value: JsonValue][] {
  return Object.entries(config).filter(([name]) => applies(type, name, config));
}
