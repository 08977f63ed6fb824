import type { ConnectionType } from "../../../schema/contract/connection.ts";
import type { JsonObject } from "../../../schema/contract/json.ts";

/** Teamchat's webhook URL carries its token: no answer shows more than where it leads (design 6). */
export function maskConfig(type: ConnectionType, config: JsonObject): JsonObject {
  const { webhookUrl } = config;
  if (type !== "teamchat" || typeof webhookUrl !== "string") return config;
  return { ...config, webhookUrl: maskUrl(webhookUrl) };
}

/** Someone who edits a connection sends back what was shown: the mask stands for what is stored. */
export function unmaskConfig(type: ConnectionType, sent: JsonObject, stored: JsonObject): JsonObject {
  const { webhookUrl } = stored;
  if (type !== "teamchat" || typeof webhookUrl !== "string") return sent;
  return sent["webhookUrl"] === maskUrl(webhookUrl) ? { ...sent, webhookUrl } : sent;
}

function maskUrl(webhookUrl: string): string {
  return URL.canParse(webhookUrl) ? `${new URL(webhookUrl).origin}/***` : "***";
}
