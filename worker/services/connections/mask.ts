import { secretConfigFields } from "../../../schema/contract/connection.ts";
import type { ConnectionType } from "../../../schema/contract/connection.ts";
import type { JsonObject, JsonValue } from "../../../schema/contract/json.ts";

/**
 * A secret of the configuration, such as teamchat's webhook URL: no answer shows more than where it leads
 * (docs/design/credentials.md#secrets-in-configurations).
 */
export function maskConfig(type: ConnectionType, config: JsonObject): JsonObject {
  return withSecrets(type, config, (value) => maskSecret(value));
}

/** Someone who edits a connection sends back what was shown: the mask stands for what is stored. */
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
