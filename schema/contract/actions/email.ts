import { z } from "zod";
import { addresses, text } from "../action-params.ts";
import type { ActionContract } from "../action-types.ts";

export const EMAIL_ACTIONS = {
  "email.sendEmail": {
    connectionType: "email",
    effect: "unsafe",
    params: z.strictObject({
      to: addresses,
      cc: addresses.optional(),
      bcc: addresses.optional(),
      subject: z.string().max(2_000),
      text: text.optional(),
      html: text.optional(),
      attachments: z
        .array(
          z.strictObject({
            filename: z.string().min(1).max(255),
            content: text,
            encoding: z.enum(["utf8", "base64"]).default("utf8"),
            contentType: z.string().max(255).optional(),
          }),
        )
        .max(50)
        .optional(),
    }),
    code: {},
    output: ["messageId", "accepted", "rejected", "response"],
  },
} as const satisfies Record<string, ActionContract>;
