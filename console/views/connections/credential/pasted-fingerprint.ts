/** A fingerprint: 43 characters of base64url (RFC 7638). */
const FINGERPRINT = /(?<![\w-])[\w-]{43}(?![\w-])/gu;

export type Pasted = "nothing" | "same" | "other" | "incomplete";

/** What a person pasted from the agent's machine: a fingerprint, or output that contains one. */
export function comparePasted(text: string, computed: string): Pasted {
  if (text.trim() === "") return "nothing";
  const found = text.match(FINGERPRINT) ?? [];
  if (found.length === 0) return text.replaceAll(/\s/gu, "") === computed ? "same" : "incomplete";
  return found.every((one) => one === computed) ? "same" : "other";
}

/** The fingerprint in groups of four, for people who compare by eye. */
export function groupsOf(fingerprint: string): string[] {
  return fingerprint.match(/.{1,4}/gu) ?? [];
}
