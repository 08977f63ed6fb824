import { hash } from "node:crypto";
import { randomSecret } from "../random.ts";
import { openSigned, signValue } from "../signed-value.ts";

const LABEL = "session";

/**
 * A session's cookie holds a random id and its signature. The row holds the id's digest, so that a reader of the
 * database cannot sign in with it; the signature lets a made-up cookie cost no query.
 */
export function mintSession(serverSecret: string): { cookie: string; idDigest: string } {
  const id = randomSecret();
  return { cookie: signValue(serverSecret, LABEL, id), idDigest: digestOf(id) };
}

/** The digest that finds the row; null for a cookie that this deployment did not make. */
export function openSessionCookie(serverSecret: string, cookie: string): { idDigest: string } | null {
  const id = openSigned(serverSecret, LABEL, cookie);
  return id === null ? null : { idDigest: digestOf(id) };
}

/** SHA-256 is enough: the id holds 256 random bits. */
function digestOf(id: string): string {
  return hash("sha256", id, "base64url");
}
