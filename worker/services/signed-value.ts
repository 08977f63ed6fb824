import { createHmac, timingSafeEqual } from "node:crypto";

/** `<value>.<signature>`: a value that comes back from a browser, as this deployment gave it. It is not hidden. */
export function signValue(serverSecret: string, label: string, value: string): string {
  return `${value}.${signatureOf(serverSecret, label, value)}`;
}

/** The value; null for anything that was not signed here, or not under this label. */
export function openSigned(serverSecret: string, label: string, signed: string): string | null {
  const dot = signed.lastIndexOf(".");
  if (dot < 0) return null;
  const value = signed.slice(0, dot);
  const given = Buffer.from(signed.slice(dot + 1));
  const expected = Buffer.from(signatureOf(serverSecret, label, value));
  return given.byteLength === expected.byteLength && timingSafeEqual(given, expected) ? value : null;
}

/** A key of its own for every label, so that nothing signed for one purpose serves another. */
function signatureOf(serverSecret: string, label: string, value: string): string {
  const key = createHmac("sha256", serverSecret).update(`signed-value\n${label}`).digest();
  return createHmac("sha256", key).update(value).digest("base64url");
}
