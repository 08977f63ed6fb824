import { z } from "zod";

/** Line breaks and other control characters, and those that turn the direction of what stands after them. */
const UNPLAIN = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u;

/** Whether a text stays what it looks like in a log or a list, beside other words. */
export function isPlainText(text: string): boolean {
  return !UNPLAIN.test(text);
}

/** What people call a thing, or themselves: it stands in lists, mails and the audit log. */
export const nameSchema = z
  .string()
  .trim()
  .min(1)
  .max(200)
  .refine(isPlainText, "must not hold line breaks, control characters or marks of text direction");
