import { z } from "zod";
import { timestampSchema } from "./ids.ts";

/** The service's built-in channels (docs/design/connections.md#notifications). */
export const NOTIFICATION_CHANNELS = ["email", "sms", "webhook"] as const;
export const notificationChannelSchema = z.enum(
  NOTIFICATION_CHANNELS,
  "must be email, sms or webhook. To write to Slack, use the action chat.sendMessage; to receivers of Slack and Teams, rules send notices",
);
export type NotificationChannel = z.infer<typeof notificationChannelSchema>;

/**
 * The result of one try. `accepted`: the mail server, provider or receiver took the message; `refused`: it answered
 * with a refusal; `unreachable`: the message was not sent; `unknown`: the message may have been sent, but no answer
 * came; `interrupted`: the service stopped before it recorded an answer.
 */
export const ATTEMPT_RESULTS = ["accepted", "refused", "unreachable", "unknown", "interrupted"] as const;

export const notificationAttemptSchema = z.object({
  at: timestampSchema,
  result: z.enum(ATTEMPT_RESULTS),
  /** The HTTP status or the SMTP reply code. */
  statusCode: z.int().nullable(),
  /** The receiver's answer, cut and masked. */
  detail: z.string(),
});
export type NotificationAttempt = z.infer<typeof notificationAttemptSchema>;

/** A recipient that the mail server refused. */
export const rejectedRecipientSchema = z.object({
  address: z.string(),
  statusCode: z.int().nullable(),
  detail: z.string(),
});
export type RejectedRecipient = z.infer<typeof rejectedRecipientSchema>;

/** The output of notification.sendNotification; a failed one has the known part of it. */
export const notificationOutputSchema = z.object({
  channel: notificationChannelSchema,
  /** A webhook's address without its query, which may hold a secret. */
  to: z.array(z.string()),
  attempts: z.array(notificationAttemptSchema),
  /** The receiver's last answer; null without one. */
  statusCode: z.int().nullable(),
  /** The Message-ID, the provider's id, or the webhook-id. */
  messageId: z.string().nullable(),
  /** Email over SMTP: the accepted recipients. */
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
    url: z.string().optional().describe("Of notices by rules: a page for people about it."),
    executionId: z.string().nullable(),
    workflowId: z.string().nullable(),
    nodeRunId: z.string().nullable(),
  }),
});
export type WebhookNotification = z.infer<typeof webhookNotificationSchema>;

/** The parameters of a node for any channel (actions/notification.ts has the same). */
export const notificationParamsSchema = z.object({
  channel: notificationChannelSchema,
  to: z.union([z.string(), z.array(z.string())]),
  subject: z.string().optional(),
  message: z.string(),
});
export type NotificationParams = z.infer<typeof notificationParamsSchema>;
