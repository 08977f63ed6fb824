import { createHash } from "node:crypto";

/**
 * What is stored of an API token, and finds it. A plain SHA-256: a token holds over 200 random bits, so there is nothing
 * to guess that a slow hash would make slower, and a salted one could not be looked up. It is asked at every request.
 */
export function tokenDigest(secret: string): string {
  return createHash("sha256").update(secret).digest("base64url");
}
