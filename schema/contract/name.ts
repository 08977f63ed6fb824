import { z } from "zod";

/** Line breaks and other control characters, and those that reverse the direction of the following text. */
const UNPLAIN = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]+/u;

/** Whether a text looks in a log or a list as it was written, without affecting the words around it. */
export function isPlainText(text: string): boolean {
  return !UNPLAIN.test(text);
}

/** A text from outside as one that `isPlainText` accepts. */
export function toPlainText(text: string): string {
  return text.replaceAll(new RegExp(UNPLAIN, "gu"), " ").trim();
}

/** A name that people give to an object or themselves: shown in lists, mails and the audit log. */
export const nameSchema = z
  .string()
  .trim()
  .min(1)
  .max(200)
  .refine(isPlainText, "must not contain line breaks, control characters or text direction marks");
