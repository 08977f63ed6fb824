import { z } from "zod";
import {
  parseAccountSid,
  parseApiAddress,
  parseMailSender,
  parseSmsSender,
  parseWebhookSecrets,
} from "../settings/notification.ts";
import type { Parse } from "../settings/parse.ts";
import { isLoopback } from "./loopback.ts";
import { isPlainText } from "./name.ts";
import { NOTIFICATION_CHANNELS } from "./notification.ts";

/** A text as the setting of the environment takes it. */
const textFor = (parse: Parse<unknown>) =>
  z
    .string()
    .trim()
    .max(2_000)
    .superRefine((text, context) => {
      const parsed = parse(text);
      if ("problem" in parsed) context.addIssue({ code: "custom", message: parsed.problem });
    });
/** Everyone who may read the API sees it, and so it has no place for a key. */
const apiAddress = textFor(parseApiAddress).refine(
  (text) => !/[?#]/u.test(text),
  "must have no query: a key belongs in the field for it, which no answer shows",
);
const plain = z.string().min(1).max(1_000).refine(isPlainText, "must not contain line breaks or control characters");
const kept = (what: string) => `Without it, the stored one is kept, unless ${what} changes. No answer shows it.`;

const smtpSchema = z
  .strictObject({
    host: z
      .string()
      .trim()
      .max(253)
      .regex(/^[A-Za-z0-9:](?:[A-Za-z0-9:-]|\.(?!\.))*$/u, "must be a host name or an IP address, without a port"),
    port: z.int().min(1).max(65_535),
    security: z
      .enum(["tls", "starttls", "none"])
      .describe("`tls` from the start, usually port 465; `none` only on this machine."),
    user: plain.optional().describe("Without it, there is no login."),
    password: plain.optional().describe(kept("host or port")),
  })
  .superRefine(({ host, security, user, password }, context) => {
    const wrong = (path: string, message: string) => context.addIssue({ code: "custom", path: [path], message });
    if (security === "none" && !isLoopback(host))
      wrong("security", "must be tls or starttls; none is only for this machine");
    if (user === undefined && password !== undefined) wrong("user", "is required with a password");
  });

const httpSchema = z.strictObject({
  url: apiAddress,
  key: z
    .string()
    .regex(/^[\x21-\x7E]{1,1000}$/u, "must be letters, digits and signs, without spaces")
    .optional()
    .describe(kept("the address")),
});

export const setEmailChannelSchema = z
  .strictObject({
    from: textFor(parseMailSender),
    smtp: smtpSchema.optional().describe("A mail server,"),
    http: httpSchema.optional().describe("or a provider's API, as NOTIFY_EMAIL_API_URL."),
  })
  .refine(({ smtp, http }) => (smtp === undefined) !== (http === undefined), {
    path: ["smtp"],
    error: "must be given, or http instead of it: one of them",
  });

export const setSmsChannelSchema = z.strictObject({
  from: textFor(parseSmsSender),
  accountSid: textFor(parseAccountSid),
  authToken: plain.optional().describe(kept("the address")),
  apiUrl: apiAddress.optional().describe("Twilio's without it."),
});

export const setWebhookChannelSchema = z.strictObject({
  secret: textFor(parseWebhookSecrets)
    .refine((text) => !/\s/u.test(text), "must be one secret")
    .describe("`whsec_` and 32 random bytes in base64. No answer shows it."),
  keepFormer: z
    .boolean()
    .default(false)
    .describe("Signs with the present secret, too, until the next change: receivers may have either."),
});

/** The body for one channel. */
export const setNotificationChannelSchema = z.union([
  setEmailChannelSchema,
  setSmsChannelSchema,
  setWebhookChannelSchema,
]);

/** Stored settings without their secrets. */
export const storedChannelSchema = z.object({
  from: z.string().optional(),
  smtp: z
    .object({
      host: z.string(),
      port: z.int(),
      security: z.enum(["tls", "starttls", "none"]),
      user: z.string().optional(),
    })
    .optional(),
  http: z.object({ url: z.string() }).optional(),
  accountSid: z.string().optional(),
  apiUrl: z.string().optional(),
  secrets: z.int().optional().describe("Webhook: how many secrets sign, 2 while the former is kept."),
});
export type StoredChannel = z.infer<typeof storedChannelSchema>;

export const channelSourceSchema = z.enum(["environment", "stored"]);

/** Whether a channel can be used, and otherwise what to do. Never a secret. */
export const notificationChannelViewSchema = z.object({
  channel: z.enum(NOTIFICATION_CHANNELS),
  configured: z.boolean(),
  /** How its messages are sent: through a mail server or over HTTP; null when unknown. */
  transport: z.enum(["smtp", "http"]).nullable(),
  /** The sender of messages; null for webhooks and while it is not set. */
  from: z.string().nullable(),
  /** Every missing or wrong setting, as a message. */
  problems: z.array(z.string()),
  source: channelSourceSchema
    .nullable()
    .describe("Where its settings come from; stored ones come before the environment. Null: it has none."),
  stored: storedChannelSchema.nullable().describe("Its stored settings without their secrets."),
});
export type NotificationChannelView = z.infer<typeof notificationChannelViewSchema>;
