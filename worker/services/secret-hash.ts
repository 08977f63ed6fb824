import { compare, hash } from "bcryptjs";

/**
 * bcrypt for secrets that the service makes. They hold over 200 random bits, so a higher cost adds nothing; 4 is
 * bcrypt's minimum and takes about 1 ms (docs/design/http-api.md#keys). Passwords are hashed elsewhere, at cost 12.
 * Never call this inside a Durable Object: it blocks the isolate's thread.
 */
const RANDOM_SECRET_COST = 4;

export function hashSecret(secret: string): Promise<string> {
  return hash(secret, RANDOM_SECRET_COST);
}

export function secretMatches(secret: string, secretHash: string): Promise<boolean> {
  return compare(secret, secretHash);
}
