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
