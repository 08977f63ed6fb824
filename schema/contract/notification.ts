import { z } from "zod";
import { timestampSchema } from "./ids.ts";

/** The service's built-in channels (docs/design/connections.md#notifications). */
export const NOTIFICATION_CHANNELS = ["email", "sms", "webhook"] as const;
export const notificationChannelSchema = z.enum(NOTIFICATION_CHANNELS);
export type NotificationChannel = z.infer<typeof notificationChannelSchema>;

/** Whether a channel can be used, and what is to be done where it cannot. Never a secret. */
export const notificationChannelViewSchema = z.object({
  channel: notificationChannelSchema,
  configured: z.boolean(),
  /** What carries its messages: a mail server, a provider's HTTP interface, or the service itself; null when unknown. */
  transport: z.enum(["smtp", "http"]).nullable(),
  /** Whom messages come from; null for webhooks and while it is not set. */
  from: z.string().nullable(),
  /** Every setting that is missing or wrong, in words. */
  problems: z.array(z.string()),
});
export type NotificationChannelView = z.infer<typeof notificationChannelViewSchema>;

/**
 * How one try ended. `accepted`: the mail server, provider or receiver took the message; `refused`: it answered, and did
 * not; `unreachable`: nothing was sent; `unknown`: something may have been sent, and no answer came; `interrupted`: the
 * service itself stopped before it could note an answer.
 */
export const ATTEMPT_RESULTS = ["accepted", "refused", "unreachable", "unknown", "interrupted"] as const;

export const notificationAttemptSchema = z.object({
  at: timestampSchema,
  result: z.enum(ATTEMPT_RESULTS),
  /** The HTTP status or the SMTP reply code. */
  statusCode: z.int().nullable(),
  /** What the other side said, cut and masked. */
  detail: z.string(),
});
export type NotificationAttempt = z.infer<typeof notificationAttemptSchema>;

/** A recipient that the mail server did not take. */
export const rejectedRecipientSchema = z.object({
  address: z.string(),
  statusCode: z.int().nullable(),
  detail: z.string(),
});
export type RejectedRecipient = z.infer<typeof rejectedRecipientSchema>;

/** The output of notification.sendNotification; a failed one has it, too, as far as it came. */
export const notificationOutputSchema = z.object({
  channel: notificationChannelSchema,
  /** A webhook's address without its query, which may hold a secret. */
  to: z.array(z.string()),
  attempts: z.array(notificationAttemptSchema),
  /** The other side's last answer; null when none came. */
  statusCode: z.int().nullable(),
  /** The Message-ID, the provider's id, or the webhook-id. */
  messageId: z.string().nullable(),
  /** Email over SMTP: what was taken for whom. */
  accepted: z.array(z.string()).optional(),
  rejected: z.array(rejectedRecipientSchema).optional(),
  durationMs: z.int(),
});
export type NotificationOutput = z.infer<typeof notificationOutputSchema>;

/** The body of a webhook notification, signed as Standard Webhooks describes. */
export const webhookNotificationSchema = z.object({
  type: z.literal("bellhop.notification"),
  timestamp: timestampSchema,
  data: z.object({
    message: z.string(),
    subject: z.string().optional(),
    executionId: z.string().nullable(),
    workflowId: z.string().nullable(),
    nodeRunId: z.string().nullable(),
  }),
});
export type WebhookNotification = z.infer<typeof webhookNotificationSchema>;

/** What a node's parameters are, whatever the channel makes of them (actions/notification.ts has the same). */
export const notificationParamsSchema = z.object({
  channel: notificationChannelSchema,
  to: z.union([z.string(), z.array(z.string())]),
  subject: z.string().optional(),
  message: z.string(),
});
export type NotificationParams = z.infer<typeof notificationParamsSchema>;
