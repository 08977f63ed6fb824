import { z } from "zod";
import { WEBHOOK_REQUESTS_MAX } from "../limits.ts";

/** Why a delivery was refused: the code of its answer, or for a workflow that takes none `inactive`. */
export const deliveryRefusalSchema = z.enum([
  "unauthorized",
  "inactive",
  "rate_limit_exceeded",
  "payload_too_large",
  "unsupported_media_type",
  "invalid_request",
  "request_timeout",
]);
export type DeliveryRefusal = z.infer<typeof deliveryRefusalSchema>;

/** One of the last deliveries of a webhook. It has no secret, no address and nothing of the body but names. */
export const webhookDeliverySchema = z.object({
  at: z.iso.datetime().describe("Of several equal refusals, the latest."),
  result: z
    .enum(["started", "repeated", "answered", "refused"])
    .describe("`answered`: Slack checked the address, and nothing was started."),
  reason: deliveryRefusalSchema.nullable().describe("Why it was refused; null otherwise."),
  detail: z.string().nullable().describe("The problem with the body; null without one."),
  executionId: z
    .string()
    .nullable()
    .describe("The execution that it started or repeats; null when it was answered or refused."),
  count: z.int().describe("Refusals for the same reason are one entry, with their number."),
  bytes: z.int().nullable().describe("The size of the body; null when it was not read."),
  contentType: z.string().nullable(),
  ignoredFields: z.array(z.string()).describe("The body's fields that templates do not see."),
});
export type WebhookDelivery = z.infer<typeof webhookDeliverySchema>;

export const changeWebhookSchema = z.strictObject({
  requestsPerMinute: z
    .int()
    .min(1)
    .max(WEBHOOK_REQUESTS_MAX)
    .describe("How many requests the webhook takes in a minute. Others get 429. Default: 60."),
});
