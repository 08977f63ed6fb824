import { z } from "zod";
import { addresses, text } from "../action-params.ts";
import { notificationChannelSchema } from "../notification.ts";
import type { ActionContract } from "../action-types.ts";

export const NOTIFICATION_ACTIONS = {
  "notification.sendNotification": {
    connectionType: "notification",
    effect: "unsafe",
    params: z.strictObject({
      channel: notificationChannelSchema,
      to: addresses,
      subject: z.string().max(2_000).optional(),
      message: text,
    }),
    code: {},
    output: ["channel", "to", "attempts", "statusCode", "messageId", "accepted", "rejected", "durationMs"],
  },
} as const satisfies Record<string, ActionContract>;
