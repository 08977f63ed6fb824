import { compare, hash } from "bcryptjs";

/**
 * bcrypt for secrets that we made ourselves. They hold over 200 random bits, so no cost makes guessing them harder in
 * practice; 4 is the least that bcrypt allows and takes about 1 ms (docs/design/http-api.md#keys). People's passwords
 * are hashed elsewhere, at cost 12. Never call this inside a Durable Object: it blocks the isolate's thread.
 */
const RANDOM_SECRET_COST = 4;

export function hashSecret(secret: string): Promise<string> {
  return hash(secret, RANDOM_SECRET_COST);
}

export function secretMatches(secret: string, secretHash: string): Promise<boolean> {
  return compare(secret, secretHash);
}
