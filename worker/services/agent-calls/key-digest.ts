import { hash } from "node:crypto";

/**
 * An agent key's digest for the cache and for sessions, base64url: enough to recognise the key, and of no use to anyone
 * else. Keyed with the deployment's secret, so that a session does not reveal whose key it was.
 */
export function keyDigestOf(serverSecret: string, key: string): string {
  return hash("sha256", `agent-key\n${serverSecret}\n${key}`, "base64url");
}
