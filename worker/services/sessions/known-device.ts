import { randomSecret } from "../random.ts";
import { openSigned, signValue } from "../signed-value.ts";

/**
 * A cookie for a browser that has signed in to an account. It grants nothing; it only makes the browser's attempts
 * count separately from everyone else's (domain/login-limit.ts).
 */
export function makeKnownDevice(serverSecret: string, email: string): string {
  return signValue(serverSecret, labelOf(email), randomSecret());
}

/** The key to count the browser under; null for a cookie of another account, or not signed here. */
export function checkKnownDevice(serverSecret: string, email: string, cookie: string | null): string | null {
  return cookie === null ? null : openSigned(serverSecret, labelOf(email), cookie);
}

function labelOf(email: string): string {
  return `known-device\n${email}`;
}
