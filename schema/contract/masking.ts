import type { Secrets } from "./credential.ts";

/** Shorter texts are parts of ordinary words and numbers: masking them would garble what jobs print. */
export const MASK_MIN_CHARS = 6;

/** Whether a secret's value is long enough to be masked. Blanks at its ends do not count. */
export function isMaskable(value: string): boolean {
  return value.trim().length >= MASK_MIN_CHARS;
}

/** A user name names an account and is no secret, whatever the connection's type. */
export function isUserName(secretName: string): boolean {
  return secretName === "username";
}

/** Ends a sentence that begins with the secret's name. */
export const TOO_SHORT_TO_MASK = `is shorter than ${MASK_MIN_CHARS} characters: it will not be masked in output`;

/** The names of the secrets that output will show because they are short. Whoever delivers them is warned. */
export function tooShortToMask(secrets: Secrets): string[] {
  return Object.keys(secrets).filter((name) => !isUserName(name) && !isMaskable(secrets[name] ?? ""));
}
