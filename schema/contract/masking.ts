import type { Secrets } from "./credential.ts";

/** Shorter texts occur in ordinary words and numbers: masking them would garble the output of jobs. */
export const MASK_MIN_CHARS = 6;

/** Whether a secret's value is long enough to be masked. Leading and trailing blanks do not count. */
export function isMaskable(value: string): boolean {
  return value.trim().length >= MASK_MIN_CHARS;
}

/** A user name identifies an account and is not secret, for any connection type. */
export function isUserName(secretName: string): boolean {
  return secretName === "username";
}

/** Ends a sentence that begins with the secret's name. */
export const TOO_SHORT_TO_MASK = `is shorter than ${MASK_MIN_CHARS} characters: it will not be masked in output`;

/** The names of secrets that are too short to be masked in output. The person who delivers them gets a warning. */
export function tooShortToMask(secrets: Secrets): string[] {
  return Object.keys(secrets).filter((name) => !isUserName(name) && !isMaskable(secrets[name] ?? ""));
}
