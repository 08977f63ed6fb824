/** Standard Webhooks: what is signed, and with which keys. The signing itself is HMAC-SHA256, outside. */
const SECRET_PREFIX = "whsec_";
const SECRET_MIN_BYTES = 24;
const SECRET_MAX_BYTES = 64;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/u;

/** The bytes that a signature covers; the time is the try's, in whole seconds. */
export function signingInput(id: string, timestampSeconds: number, body: string): string {
  return `${id}.${timestampSeconds}.${body}`;
}

/** One signature for each key, so that a receiver may have either during a change. */
export function signatureHeader(signatures: readonly string[]): string {
  return signatures.map((signature) => `v1,${signature}`).join(" ");
}

/** The keys of `whsec_<base64>`, several separated by spaces, as base64; null when one of them is none. */
export function parseWebhookSecrets(text: string): string[] | null {
  const keys = text
    .split(/\s+/u)
    .filter((part) => part !== "")
    .map((part) => (part.startsWith(SECRET_PREFIX) ? part.slice(SECRET_PREFIX.length) : ""));
  return keys.length > 0 && keys.every(isKey) ? keys : null;
}

function isKey(key: string): boolean {
  const bytes = (key.length / 4) * 3 - (key.length - key.replace(/=+$/u, "").length);
  return BASE64.test(key) && bytes >= SECRET_MIN_BYTES && bytes <= SECRET_MAX_BYTES;
}
