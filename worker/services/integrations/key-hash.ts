import { hash, timingSafeEqual } from "node:crypto";

/**
 * SHA-256 of an integration's key. The key holds over 230 random bits, so it cannot be guessed and needs no slow hash;
 * the endpoint must take a storm of alerts.
 */
export function hashKey(key: string): string {
  return hash("sha256", key);
}

/** In constant time. */
export function keyMatches(key: string, keyHash: string): boolean {
  return timingSafeEqual(Buffer.from(hashKey(key)), Buffer.from(keyHash));
}
