import { hash } from "node:crypto";
import type { PublicKey } from "../../schema/contract/agent.ts";

/** The JWK's thumbprint (RFC 7638, 3): SHA-256 over the required members in lexicographic order, base64url. */
export function keyFingerprint({ crv, kty, x, y }: PublicKey): string {
  return hash("sha256", JSON.stringify({ crv, kty, x, y }), "base64url");
}
