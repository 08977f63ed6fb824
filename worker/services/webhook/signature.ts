import type { HmacVerification } from "../../../schema/contract/webhook-verification.ts";
import { BoundedMap } from "../../domain/bounded-map.ts";
import { isOfNow, signingOf } from "../../domain/webhook-signing.ts";
import type { Verifiers } from "../ports.ts";
import { openSigningSecret, signingKey } from "../webhook-signing-key.ts";

const HMAC = { name: "HMAC", hash: "SHA-256" } as const;
const KEYS_MAX = 10_000;

/** Opened keys by sealed secret, with the server's secret that sealed them. They cannot be read, only used. */
const opened = new BoundedMap<string, { serverSecret: string; key: CryptoKey }>(KEYS_MAX);

export interface SignedRequest {
  webhookKey: string;
  header(name: string): string | null;
  /** The body as it was sent. It is read only when there is a signature to check. */
  readBytes(): Promise<Uint8Array>;
}

/** The signed id of a delivery, or null, when one of the secrets signed the request; `false` for any other. */
export async function verifySignature(
  serverSecret: string,
  { verification, verifiers }: Verifiers & { verification: HmacVerification },
  request: SignedRequest,
  now: () => number,
): Promise<{ deliveryId: string | null } | false> {
  const signing = signingOf(verification, request.header);
  if (signing === null || !isOfNow(signing, now())) return false;
  const signed = Buffer.concat([Buffer.from(signing.before), await request.readBytes()]);
  // A body may take a minute.
  if (!isOfNow(signing, now())) return false;
  for (const sealed of verifiers) {
    const key = await openKey(serverSecret, verification, request.webhookKey, sealed);
    if (key === null) continue;
    for (const { text, encoding } of signing.signatures) {
      // Web Crypto compares in constant time.
      if (await crypto.subtle.verify(HMAC, key, Uint8Array.from(Buffer.from(text, encoding)), signed)) return signing;
    }
  }
  return false;
}

async function openKey(
  serverSecret: string,
  verification: HmacVerification,
  webhookKey: string,
  sealed: string,
): Promise<CryptoKey | null> {
  const known = opened.get(sealed);
  if (known?.serverSecret === serverSecret) return known.key;
  const secret = await openSigningSecret(serverSecret, webhookKey, sealed);
  const bytes = secret === null ? null : signingKey(verification, secret);
  if (bytes === null) return null;
  const key = await crypto.subtle.importKey("raw", bytes, HMAC, false, ["verify"]);
  opened.set(sealed, { serverSecret, key });
  return key;
}
