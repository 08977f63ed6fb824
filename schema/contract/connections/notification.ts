import { z } from "zod";
import { addresses, text } from "../action-params.ts";
import { notificationChannelSchema } from "../notification.ts";
import { configFields, connectionType, paramFields } from "./descriptor.ts";

export const notification = connectionType({
  label: "Notification",
  does: "Mail, text messages and webhooks that the service sends itself.",
  needs: "Nothing here: the channels are set up once for the whole service, and no agent is involved.",
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
        to: { schema: addresses, label: "To", help: "One address or several, separated by commas." },
        subject: { schema: z.string().max(2_000).optional(), label: "Subject" },
        message: { schema: text, label: "Message" },
      }),
      output: {
        channel: { type: "text", help: "how it was sent" },
        to: { type: "any", help: "the recipients" },
        attempts: { type: "list", help: "the tries" },
        statusCode: { type: "number", help: "the status of the last answer" },
        messageId: { type: "text", help: "the message's id" },
        accepted: { type: "list", help: "who it was accepted for", isOptional: true },
        rejected: { type: "list", help: "who it was refused for", isOptional: true },
        durationMs: { type: "number", help: "how long it took, in milliseconds" },
      },
      example: { channel: "email", to: "ops@example.com", message: "The web server was restarted." },
    },
  },
  example: { config: {}, secrets: [] },
});
