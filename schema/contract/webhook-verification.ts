import { z } from "zod";

/** How a caller of a webhook proves that it has the secret (docs/decisions/0032-verification-of-webhooks.md). */
const signed = <T extends string>(scheme: T) => z.strictObject({ type: z.literal("hmac"), scheme: z.literal(scheme) });

/** The schemes whose sender makes the secret. */
export const FOREIGN_SECRETS = ["slack", "stripe"] as const;

export const hmacVerificationSchema = z.discriminatedUnion("scheme", [
  signed("github"),
  signed("slack"),
  signed("stripe"),
  signed("standard-webhooks"),
  signed("generic").extend({
    header: z
      .string()
      .regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/u, "must be the name of a header")
      .describe("The header with the signature of the body."),
    encoding: z.enum(["hex", "base64"]),
    prefix: z
      .string()
      .regex(/^[\u0021-\u007e]{1,32}$/u, "must be 1 to 32 characters without blanks")
      .optional()
      .describe("What comes before the signature in the header, such as `sha256=`."),
  }),
]);
export type HmacVerification = z.infer<typeof hmacVerificationSchema>;

export const webhookVerificationSchema = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("bearer") }),
  z.strictObject({ type: z.literal("address") }),
  hmacVerificationSchema,
]);
export type WebhookVerification = z.infer<typeof webhookVerificationSchema>;

export const BEARER: WebhookVerification = { type: "bearer" };

const secret = z
  .string()
  .regex(/^[\u0021-\u007e]{16,256}$/u, "must be 16 to 256 characters without blanks")
  .optional()
  .describe(
    "With `hmac`: the secret that the sender signs with. Slack and Stripe give it; for the other schemes Bellhop makes one without it. No answer shows it again.",
  );

/** A replaced secret of a webhook in its stored form, and until when it is valid (epoch ms). */
export interface OldSecret {
  secretHash: string;
  until: number;
}

export const makeWebhookKeySchema = z.strictObject({
  verification: webhookVerificationSchema
    .optional()
    .describe(
      "`bearer`: the caller sends the secret as `Authorization: Bearer`. `hmac`: it signs each body with the secret, and only the bytes that it signed count. `address`: the secret is in the address, as `?secret=…`, and every log of the address has it; for senders that can do nothing else. Without it, that of the present key, or `bearer`.",
    ),
  secret,
});

export const replaceWebhookSecretSchema = z.strictObject({
  secret,
  keepOldSeconds: z
    .int()
    .min(0)
    .max(7 * 24 * 3_600, "must be at most 7 days")
    .optional()
    .describe(
      "How long the old secret stays valid, up to 7 days. Default: 86400, a day. A secret before it keeps its own time. 0 ends all old secrets immediately.",
    ),
});

/** What the API shows of a webhook besides its key. */
export const webhookViewSchema = z.object({
  verification: webhookVerificationSchema,
  oldSecretUntil: z.iso.datetime().nullable().describe("Until when an old secret is valid; null without one."),
  requestsPerMinute: z.int(),
});

export const webhookKeyAnswerSchema = z.object({
  webhookKey: z.string(),
  webhookSecret: z.string().nullable().describe("Null when the caller gave it."),
  url: z.url().describe("With the verification `address`, it has the secret."),
  oldSecretUntil: z.iso.datetime().nullable().describe("Until when an old secret is valid; null without one."),
});
