import { createHmac } from "node:crypto";

/**
 * An agent key's digest for the cache and for sessions, base64url: enough to recognise the key, and of no use to anyone
 * else. Keyed with the deployment's secret, so that a session does not reveal whose key it was.
 */
export function keyDigestOf(serverSecret: string, key: string): string {
  return createHmac("sha256", serverSecret).update(`agent-key\n${key}`).digest("base64url");
}
