import { PASSWORD_MAX_CHARS, PASSWORD_MIN_CHARS } from "../../schema/limits.ts";

/** Letters and digits that are not taken for one another when somebody reads them out. */
const READABLE = "abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789";
const GENERATED_CHARS = 20;

/** What the rules say of a password while it is typed: length counts, and nothing else (NIST SP 800-63B). */
export function judgePassword(password: string): { ok: boolean; words: string } {
  const missing = PASSWORD_MIN_CHARS - password.length;
  if (password === "") return { ok: false, words: `At least ${PASSWORD_MIN_CHARS} characters. A few words are good.` };
  if (missing > 0) return { ok: false, words: `${missing} more ${missing === 1 ? "character" : "characters"}.` };
  if (password.length > PASSWORD_MAX_CHARS) return { ok: false, words: `At most ${PASSWORD_MAX_CHARS} characters.` };
  return { ok: true, words: "Long enough." };
}

/** A password that nobody guesses: about 116 bits. `randomBytes` answers that many random bytes. */
export function generatePassword(randomBytes: (count: number) => Uint8Array): string {
  // Bytes past the last whole multiple would make the first letters likelier.
  const usable = 256 - (256 % READABLE.length);
  let password = "";
  while (password.length < GENERATED_CHARS) {
    for (const byte of randomBytes(GENERATED_CHARS * 2)) {
      if (byte < usable && password.length < GENERATED_CHARS) password += READABLE[byte % READABLE.length] ?? "";
    }
  }
  return password;
}
