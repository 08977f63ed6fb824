import { secretConfigFields } from "../../../schema/contract/connection.ts";
import type { ConnectionType } from "../../../schema/contract/connection.ts";
import type { JsonObject, JsonValue } from "../../../schema/contract/json.ts";

/**
 * Masks secrets of the configuration, such as teamchat's webhook URL: an answer shows at most the origin
 * (docs/design/credentials.md#secrets-in-configurations).
 */
export function maskConfig(type: ConnectionType, config: JsonObject): JsonObject {
  return withSecrets(type, config, (value) => maskSecret(value));
}

/** A client that edits a connection sends back the mask, which means the stored value. */
export function unmaskConfig(type: ConnectionType, sent: JsonObject, stored: JsonObject): JsonObject {
  return withSecrets(type, sent, (value, name) => {
    const { [name]: secret } = stored;
    return secret !== undefined && value === maskSecret(secret) ? secret : value;
  });
}

function withSecrets(type: ConnectionType, config: JsonObject, show: (value: JsonValue, name: string) => JsonValue) {
  const secrets = secretConfigFields(type).flatMap((name) => {
    const { [name]: value } = config;
    return value === undefined ? [] : [[name, show(value, name)] as const];
  });
  return { ...config, ...Object.fromEntries(secrets) };
}

function maskSecret(value: JsonValue): string {
  return typeof value === "string" && URL.canParse(value) ? `${new URL(value).origin}/***` : "***";
}
