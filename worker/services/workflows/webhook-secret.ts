import { FOREIGN_SECRETS } from "../../../schema/contract/webhook-verification.ts";
import type { WebhookVerification } from "../../../schema/contract/webhook-verification.ts";
import type { Deps } from "../deps.ts";
import { mintWebhookSecret } from "../keys.ts";
import { invalidInput } from "../parse.ts";
import { hashSecret } from "../secret-hash.ts";
import { sealSigningSecret, signingKey } from "../webhook-signing-key.ts";

export interface ChosenSecret {
  secret: string;
  /** The stored form. */
  secretHash: string;
}

const KEY_BYTES = 32;

/** The given secret, or a new one, for a webhook key. Throws 400 for a secret that the verification cannot have. */
export async function chooseSecret(
  deps: Deps,
  webhookKey: string,
  verification: WebhookVerification,
  given: string | undefined,
): Promise<ChosenSecret> {
  const serverSecret = deps.settings.secret;
  if (verification.type !== "hmac") {
    if (given !== undefined) throw wrong("is for the verification hmac: Bellhop makes the secret of every other");
    const secret = mintWebhookSecret(serverSecret, webhookKey);
    return { secret, secretHash: await hashSecret(secret) };
  }
  const { scheme } = verification;
  if (given === undefined && isForeign(scheme)) throw wrong(`is required: copy the signing secret from ${scheme}`);
  const made = scheme === "standard-webhooks" ? newKey() : mintWebhookSecret(serverSecret, webhookKey);
  const secret = given ?? made;
  if (signingKey(verification, secret) === null) throw wrong("must be whsec_ and the base64 of 16 to 64 bytes");
  return { secret, secretHash: await sealSigningSecret(serverSecret, webhookKey, secret) };
}

/** Whether the sender makes the secret. */
function isForeign(scheme: string): boolean {
  return FOREIGN_SECRETS.some((foreign) => foreign === scheme);
}

function newKey(): string {
  return `whsec_${Buffer.from(crypto.getRandomValues(new Uint8Array(KEY_BYTES))).toString("base64")}`;
}

function wrong(message: string) {
  return invalidInput([{ path: "secret", message }]);
}
