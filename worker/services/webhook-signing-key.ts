import type { HmacVerification } from "../../schema/contract/webhook-verification.ts";
import { openText, sealText } from "./sealed-text.ts";

/** The stored form of a signed webhook's secret, for its key only. */
export function sealSigningSecret(serverSecret: string, webhookKey: string, secret: string): Promise<string> {
  return sealText(serverSecret, placeOf(webhookKey), secret);
}

/** The secret; null unless this deployment sealed it for this key. */
export function openSigningSecret(serverSecret: string, webhookKey: string, sealed: string): Promise<string | null> {
  return openText(serverSecret, placeOf(webhookKey), sealed);
}

/** The bytes of the key that a scheme makes of a secret; null for a secret that it cannot have. */
export function signingKey({ scheme }: HmacVerification, secret: string): Uint8Array<ArrayBuffer> | null {
  if (scheme !== "standard-webhooks") return Uint8Array.from(Buffer.from(secret));
  const text = secret.replace(/^whsec_/u, "");
  const key = Uint8Array.from(Buffer.from(text, "base64"));
  return /^[A-Za-z0-9+/]+={0,2}$/u.test(text) && key.length >= 16 && key.length <= 64 ? key : null;
}

function placeOf(webhookKey: string): string {
  return `webhook:${webhookKey}`;
}
