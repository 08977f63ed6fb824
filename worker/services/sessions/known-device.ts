import { randomSecret } from "../random.ts";
import { openSigned, signValue } from "../signed-value.ts";

/**
 * A browser that has signed in to an account before carries a cookie that says so, and nothing else: it opens nothing,
 * but its attempts are counted apart from everybody else's (domain/login-limit.ts).
 */
export function makeKnownDevice(serverSecret: string, email: string): string {
  return signValue(serverSecret, labelOf(email), randomSecret());
}

/** What to count it under; null for a cookie that is not of this account, or not ours. */
export function checkKnownDevice(serverSecret: string, email: string, cookie: string | null): string | null {
  return cookie === null ? null : openSigned(serverSecret, labelOf(email), cookie);
}

function labelOf(email: string): string {
  return `known-device\n${email}`;
}
