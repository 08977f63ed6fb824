import { hash } from "node:crypto";

/**
 * The stored form of an API token or an enrolment code, by which it is found. A plain SHA-256: these secrets hold over
 * 200 random bits, so a slow hash would protect nothing, and a salted one could not be looked up.
 */
export function secretDigest(secret: string): string {
  return hash("sha256", secret, "base64url");
}
