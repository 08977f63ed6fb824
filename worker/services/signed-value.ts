import { createHmac, timingSafeEqual } from "node:crypto";

/** `<value>.<signature>`: a value that a browser sends back unchanged. It is signed, not encrypted. */
export function signValue(serverSecret: string, label: string, value: string): string {
  return `${value}.${signatureOf(serverSecret, label, value)}`;
}

/** The value; null unless this deployment signed it under this label. */
export function openSigned(serverSecret: string, label: string, signed: string): string | null {
  const dot = signed.lastIndexOf(".");
  if (dot < 0) return null;
  const value = signed.slice(0, dot);
  const given = Buffer.from(signed.slice(dot + 1));
  const expected = Buffer.from(signatureOf(serverSecret, label, value));
  return given.byteLength === expected.byteLength && timingSafeEqual(given, expected) ? value : null;
}

/** Each label has a separate key, so a signature for one purpose is not valid for another. */
function signatureOf(serverSecret: string, label: string, value: string): string {
  const key = createHmac("sha256", serverSecret).update(`signed-value\n${label}`).digest();
  return createHmac("sha256", key).update(value).digest("base64url");
}
