import { createHmac } from "node:crypto";
import type { HmacVerification } from "../../schema/contract/webhook-verification.ts";

/** Headers with which a sender signs a body, written from the senders' own documentation. */
export function signedHeaders(
  verification: HmacVerification,
  secret: string,
  body: string,
  { at = Date.now(), id = "msg_1" }: { at?: number; id?: string } = {},
): Record<string, string> {
  const seconds = String(Math.floor(at / 1_000));
  const hmac = (text: string, encoding: "hex" | "base64" = "hex") =>
    createHmac("sha256", secret).update(text).digest(encoding);
  switch (verification.scheme) {
    case "github":
      return { "X-Hub-Signature-256": `sha256=${hmac(body)}` };
    case "slack":
      return { "X-Slack-Request-Timestamp": seconds, "X-Slack-Signature": `v0=${hmac(`v0:${seconds}:${body}`)}` };
    case "stripe":
      return { "Stripe-Signature": `t=${seconds},v1=${hmac(`${seconds}.${body}`)}` };
    case "standard-webhooks": {
      const key = Buffer.from(secret.slice("whsec_".length), "base64");
      const signature = createHmac("sha256", key).update(`${id}.${seconds}.${body}`).digest("base64");
      return { "webhook-id": id, "webhook-timestamp": seconds, "webhook-signature": `v1,${signature}` };
    }
    case "generic": {
      const { header, encoding, prefix = "" } = verification;
      return { [header]: `${prefix}${hmac(body, encoding)}` };
    }
  }
}
