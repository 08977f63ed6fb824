/**
 * A text that the deployment must read again, such as the secret of a signed webhook: AES-256-GCM under a key of
 * BELLHOP_SECRET. `place` says where it is stored; a sealed text that was moved to another place cannot be opened.
 */
export async function sealText(serverSecret: string, place: string, text: string): Promise<string> {
  const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES));
  const key = await keyOf(serverSecret);
  const sealed = await crypto.subtle.encrypt({ ...CIPHER, iv, additionalData: bytes(place) }, key, bytes(text));
  return `${PREFIX}${Buffer.concat([iv, new Uint8Array(sealed)]).toString("base64url")}`;
}

/** The text; null unless this deployment sealed it for this place. */
export async function openText(serverSecret: string, place: string, sealed: string): Promise<string | null> {
  if (!sealed.startsWith(PREFIX)) return null;
  const whole = Uint8Array.from(Buffer.from(sealed.slice(PREFIX.length), "base64url"));
  const iv = whole.subarray(0, IV_BYTES);
  const key = await keyOf(serverSecret);
  try {
    const options = { ...CIPHER, iv, additionalData: bytes(place) };
    return new TextDecoder().decode(await crypto.subtle.decrypt(options, key, whole.subarray(IV_BYTES)));
  } catch {
    return null;
  }
}

const PREFIX = "sealed1.";
const IV_BYTES = 12;
const CIPHER = { name: "AES-GCM" } as const;

async function keyOf(serverSecret: string): Promise<CryptoKey> {
  const base = await crypto.subtle.importKey("raw", bytes(serverSecret), "HKDF", false, ["deriveKey"]);
  const derivation = { name: "HKDF", hash: "SHA-256", salt: new Uint8Array(), info: bytes("sealed-text") };
  return crypto.subtle.deriveKey(derivation, base, { ...CIPHER, length: 256 }, false, ["encrypt", "decrypt"]);
}

function bytes(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(Buffer.from(text));
}
