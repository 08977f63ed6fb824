import { createHmac } from "node:crypto";
import { compare, hash } from "bcryptjs";

/** The cost for people's passwords, about 0.2 s. Never inside a Durable Object: it blocks the isolate. */
const COST = 12;
/**
 * bcrypt reads 72 bytes and stops at a zero byte, so its input is a digest. The label makes digests that leaked
 * elsewhere useless here. It is not derived from BELLHOP_SECRET, so that a leaked BELLHOP_SECRET can be changed and
 * everyone keeps their password.
 */
const DIGEST_LABEL = "bellhop password 1";
/** The hash of an unknown password: a comparison with it takes as long as with any other. */
const UNKNOWN_USER_HASH = "$2b$12$iMRsAfAC2Rmx8F1CIspcv.r7G8YsvJj7tvBXgGZzuvWXZsTiYsU/C";

export function hashPassword(password: string): Promise<string> {
  return hash(digest(password), COST);
}

/** False without a hash, after the same time. */
export async function passwordMatches(password: string, passwordHash: string | null): Promise<boolean> {
  const matches = await compare(digest(password), passwordHash ?? UNKNOWN_USER_HASH);
  return matches && passwordHash !== null;
}

/** The same for every Unicode form of the same characters (RFC 8265, 4.2). */
function digest(password: string): string {
  return createHmac("sha256", DIGEST_LABEL).update(password.normalize("NFC")).digest("base64");
}
