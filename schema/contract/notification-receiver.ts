import { z } from "zod";
import { ADDRESSES_MAX, ADDRESSES_MAX_CHARS } from "./action-params.ts";
import { nameSchema } from "./name.ts";
import { ATTEMPT_RESULTS, NOTIFICATION_CHANNELS } from "./notification.ts";
import { failureSchema } from "./problem.ts";

/** Where a receiver's notices go (docs/notifications.md#receivers). Slack and Teams need no channel's settings. */
export const receiverTypeSchema = z.enum([...NOTIFICATION_CHANNELS, "slack", "teams"]);
export type ReceiverType = z.infer<typeof receiverTypeSchema>;

const to = z
  .union([
    z.string().min(1).max(ADDRESSES_MAX_CHARS),
    z.array(z.string().min(1).max(ADDRESSES_MAX_CHARS)).min(1).max(ADDRESSES_MAX),
  ])
  .describe(
    "`email`: mail addresses, a text with commas or a list. `sms`: one number like `+15005550006`. `webhook`, `slack`, `teams`: one https address, which no answer shows again.",
  );

export const createNotificationReceiverSchema = z.strictObject({ name: nameSchema, type: receiverTypeSchema, to });

export const setNotificationReceiverSchema = createNotificationReceiverSchema.extend({
  to: to.optional().describe("Without it the receiver keeps its address; a new `type` needs a new one."),
});

export const notificationReceiverSchema = z.object({
  id: z.string(),
  name: z.string(),
  type: receiverTypeSchema,
  to: z.array(z.string()).nullable().describe("The addresses or the number. Null: the address is a secret."),
  toShown: z.string().describe("`to` for people, without what may be secret: `https://hooks.slack.com/…`."),
  /** Rises with every edit; the first part of the `ETag`. */
  revision: z.int(),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
});
export type NotificationReceiverView = z.infer<typeof notificationReceiverSchema>;

/** One attempt to send a message to a receiver. */
export const receiverTestSchema = z.object({
  ok: z.boolean().describe("Whether the mail server, provider or receiver took the message."),
  result: z.enum(ATTEMPT_RESULTS).nullable().describe("Null: nothing was sent, as `error` explains."),
  statusCode: z.int().nullable().describe("The HTTP status or the SMTP reply code."),
  detail: z.string().describe("The other side's answer, cut and without secrets."),
  error: failureSchema.nullable().describe("What went wrong, and what to do."),
});
export type ReceiverTest = z.infer<typeof receiverTestSchema>;
