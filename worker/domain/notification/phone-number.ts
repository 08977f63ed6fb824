/** `+` and up to 15 digits (ITU-T E.164), or null. Spaces, dots, hyphens and brackets are removed. */
export function parsePhoneNumber(text: string): string | null {
  const number = text.trim().replaceAll(/[ ().-]/gu, "");
  return /^\+[1-9]\d{6,14}$/u.test(number) ? number : null;
}

export function isMessagingService(text: string): boolean {
  return /^MG[0-9a-f]{32}$/u.test(text);
}
