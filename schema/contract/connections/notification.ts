import { z } from "zod";
import { addresses, text } from "../action-params.ts";
import { notificationChannelSchema } from "../notification.ts";
import { configFields, connectionType, paramFields } from "./descriptor.ts";

export const notification = connectionType({
  label: "Notification",
  does: "Mail, text messages and webhooks that the service sends itself.",
  needs: "Nothing here: the channels are set up once for the whole service, and no agent is needed.",
  icon: "bell",
  config: configFields({}),
  secrets: null,
  needsCredential: () => false,
  target: () => ({}),
  runsCode: false,
  stages: ["Channel email", "Channel sms", "Channel webhook"],
  actions: {
    "notification.sendNotification": {
      label: "Send notification",
      effect: "unsafe",
      params: paramFields({
        channel: { schema: notificationChannelSchema, label: "Channel", help: "How the service sends it." },
        to: { schema: addresses, label: "To", help: "One or more addresses, separated by commas." },
        subject: { schema: z.string().max(2_000).optional(), label: "Subject" },
        message: { schema: text, label: "Message" },
      }),
      output: {
        channel: { type: "text", help: "the channel" },
        to: { type: "any", help: "the recipients" },
        attempts: { type: "list", help: "the attempts" },
        statusCode: { type: "number", help: "the status of the last answer" },
        messageId: { type: "text", help: "the message's id" },
        accepted: { type: "list", help: "the recipients that the server accepted", isOptional: true },
        rejected: { type: "list", help: "the recipients that the server refused", isOptional: true },
        durationMs: { type: "number", help: "the duration in milliseconds" },
      },
      example: { channel: "email", to: "ops@example.com", message: "The web server was restarted." },
    },
  },
  example: { config: {}, secrets: [] },
});
