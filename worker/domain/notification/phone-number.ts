/** `+` and up to 15 digits (ITU-T E.164), or null. Spaces, dots, hyphens and brackets that people write are left out. */
export function parsePhoneNumber(text: string): string | null {
  const number = text.trim().replaceAll(/[ ().-]/gu, "");
  return /^\+[1-9]\d{6,14}$/u.test(number) ? number : null;
}

/** What a text message may come from: a number, a short code, a name, or a messaging service's id. */
export function isSmsSender(text: string): boolean {
  return (
    parsePhoneNumber(text) === text ||
    /^\d{3,8}$/u.test(text) ||
    /^(?=.*[A-Za-z])[A-Za-z0-9 ]{1,11}$/u.test(text) ||
    isMessagingService(text)
  );
}

export function isMessagingService(text: string): boolean {
  return /^MG[0-9a-f]{32}$/u.test(text);
}
