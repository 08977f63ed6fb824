import { hash } from "node:crypto";

/**
 * The stored form of an API token, by which it is found. A plain SHA-256: a token holds over 200 random bits, so a slow
 * hash would protect nothing, and a salted one could not be looked up. It is computed at every request.
 */
export function tokenDigest(secret: string): string {
  return hash("sha256", secret, "base64url");
}
