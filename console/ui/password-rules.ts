import { PASSWORD_MAX_CHARS, PASSWORD_MIN_CHARS } from "../../schema/limits.ts";
import { controls } from "../strings/en/shell.ts";

const text = controls.password;

/** Letters and digits that are not mistaken for one another. */
const READABLE = "abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789";
const GENERATED_CHARS = 20;

/** Checks a password while it is typed. Only the length counts (NIST SP 800-63B). */
export function judgePassword(password: string): { ok: boolean; message: string } {
  const missing = PASSWORD_MIN_CHARS - password.length;
  if (password === "") return { ok: false, message: text.atLeast(PASSWORD_MIN_CHARS) };
  if (missing > 0) return { ok: false, message: text.missing(missing) };
  if (password.length > PASSWORD_MAX_CHARS) return { ok: false, message: text.atMost(PASSWORD_MAX_CHARS) };
  return { ok: true, message: text.longEnough };
}

/** A random password of about 116 bits. `randomBytes` returns `count` random bytes. */
export function generatePassword(randomBytes: (count: number) => Uint8Array): string {
  // Bytes above the last whole multiple would make the first letters more likely.
  const usable = 256 - (256 % READABLE.length);
  let password = "";
  while (password.length < GENERATED_CHARS) {
    for (const byte of randomBytes(GENERATED_CHARS * 2)) {
      if (byte < usable && password.length < GENERATED_CHARS) password += READABLE[byte % READABLE.length] ?? "";
    }
  }
  return password;
}
