import { createHmac } from "node:crypto";

/**
 * An agent key as memory and sessions hold it, base64url: enough to know it again, and of no use to anybody else. Keyed
 * with the deployment's secret, so that a session does not even tell whose key it was.
 */
export function keyDigestOf(serverSecret: string, key: string): string {
  return createHmac("sha256", serverSecret).update(`agent-key\n${key}`).digest("base64url");
}
