import { FOREIGN_SECRETS } from "../../../schema/contract/webhook-verification.ts";
import type { WebhookVerification } from "../../../schema/contract/webhook-verification.ts";
import { webhookKeys as text } from "../../strings/en/webhook-keys.ts";

/** The ways to verify callers, as a person chooses among them. */
export const KINDS = ["bearer", "github", "slack", "stripe", "standard-webhooks", "generic", "address"] as const;
export type VerificationKind = (typeof KINDS)[number];

export function kindOf(verification: WebhookVerification): VerificationKind {
  return verification.type === "hmac" ? verification.scheme : verification.type;
}

/** The fields of a signature that has no scheme. */
export interface OwnSignature {
  header: string;
  encoding: "hex" | "base64";
  prefix: string;
}

export function verificationOf(
  kind: VerificationKind,
  { header, encoding, prefix }: OwnSignature,
): WebhookVerification {
  switch (kind) {
    case "bearer":
    case "address":
      return { type: kind };
    case "generic":
      return { type: "hmac", scheme: kind, header, encoding, ...(prefix === "" ? {} : { prefix }) };
    default:
      return { type: "hmac", scheme: kind };
  }
}

/** Whether a secret can be entered, and whose it is; null when Bellhop makes each. */
export function secretHint(kind: VerificationKind): string | null {
  if (kind === "bearer" || kind === "address") return null;
  const sender = FOREIGN_SECRETS.find((foreign) => foreign === kind);
  return sender === undefined ? text.secretHints.optional : text.secretHints.given(text.senders[sender]);
}
