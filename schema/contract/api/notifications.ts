import { deletedSchema, pageQuerySchema } from "../management.ts";
import {
  createNotificationReceiverSchema,
  notificationReceiverSchema,
  receiverTestSchema,
  setNotificationReceiverSchema,
} from "../notification-receiver.ts";
import { notificationChannelViewSchema, setNotificationChannelSchema } from "../notification-channel.ts";
import type { Operation } from "../operation.ts";

const tag = "Notifications";
const channels = "/api/v1/automation/notification-channels";
const channel = `${channels}/{channel}` as const;
const receivers = "/api/v1/automation/notification-receivers";
const receiver = `${receivers}/{id}` as const;
const example = { name: "On-call mail", type: "email", to: ["on-call@example.com"] };

export const listNotificationChannels = {
  id: "listNotificationChannels",
  method: "GET",
  path: channels,
  tag,
  summary: "List notification channels",
  description:
    "The channels of notification.sendNotification and of receivers: whether each is configured, from where, and what is missing. Unless " +
    "NOTIFY_WEBHOOK_ALLOW_PRIVATE is true, webhooks do not go to addresses of private networks. Only `to` itself is " +
    "checked, not the address that a name resolves to.",
  access: "automation:read",
  answer: { kind: "page", item: notificationChannelViewSchema },
} as const satisfies Operation;

export const setNotificationChannel = {
  id: "setNotificationChannel",
  method: "PUT",
  path: channel,
  tag,
  summary: "Store the settings of a notification channel",
  description:
    "`channel` is `email`, `sms` or `webhook`, each with a body like its environment settings. Stored settings come before the environment and apply within 5 seconds. Secrets are encrypted, and no answer shows them: without one, the stored one is kept, unless its server changes.",
  access: "admin",
  body: setNotificationChannelSchema,
  example: {
    from: "Bellhop <alerts@example.com>",
    smtp: { host: "mail.example.com", port: 587, security: "starttls", user: "alerts", password: "…" },
  },
  answer: { kind: "data", status: 200, data: notificationChannelViewSchema },
  errors: ["not_found", "conflict"],
} as const satisfies Operation;

export const removeNotificationChannel = {
  id: "removeNotificationChannel",
  method: "DELETE",
  path: channel,
  tag,
  summary: "Delete the stored settings of a notification channel",
  description: "Those of the environment count again, if there are any. Safe to repeat.",
  access: "admin",
  answer: { kind: "data", status: 200, data: notificationChannelViewSchema },
  errors: ["not_found", "conflict"],
} as const satisfies Operation;

export const listNotificationReceivers = {
  id: "listNotificationReceivers",
  method: "GET",
  path: receivers,
  tag,
  summary: "List receivers of notifications",
  description: "Newest first.",
  access: "automation:read",
  query: pageQuerySchema,
  answer: { kind: "page", item: notificationReceiverSchema },
} as const satisfies Operation;

export const createNotificationReceiver = {
  id: "createNotificationReceiver",
  method: "POST",
  path: receivers,
  tag,
  summary: "Create a receiver of notifications",
  description:
    "Mail addresses, a phone number, or the address of a webhook, of Slack or of Teams. The address of the last three is encrypted, and no answer shows it. The name is unique.",
  access: "admin",
  body: createNotificationReceiverSchema,
  example,
  answer: { kind: "data", status: 201, data: notificationReceiverSchema },
  idempotent: true,
  creates: "notificationReceiver",
  errors: ["conflict"],
} as const satisfies Operation;

export const getNotificationReceiver = {
  id: "getNotificationReceiver",
  method: "GET",
  path: receiver,
  tag,
  summary: "Show a receiver of notifications",
  access: "automation:read",
  answer: { kind: "data", status: 200, data: notificationReceiverSchema },
  errors: ["not_found"],
  etag: true,
} as const satisfies Operation;

export const replaceNotificationReceiver = {
  id: "replaceNotificationReceiver",
  method: "PUT",
  path: receiver,
  tag,
  summary: "Replace a receiver of notifications",
  description: "Without `to`, it keeps its address.",
  access: "admin",
  body: setNotificationReceiverSchema,
  example,
  answer: { kind: "data", status: 200, data: notificationReceiverSchema },
  errors: ["not_found", "conflict"],
  etag: true,
} as const satisfies Operation;

export const deleteNotificationReceiver = {
  id: "deleteNotificationReceiver",
  method: "DELETE",
  path: receiver,
  tag,
  summary: "Delete a receiver of notifications",
  access: "admin",
  answer: { kind: "data", status: 200, data: deletedSchema },
  errors: ["not_found", "conflict"],
  etag: true,
} as const satisfies Operation;

export const testNotificationReceiver = {
  id: "testNotificationReceiver",
  method: "POST",
  path: `${receiver}/test`,
  tag,
  summary: "Send a test message to a receiver",
  description: "One attempt, whose result is the answer: also a failed one is 200, with `ok: false`.",
  access: "admin",
  answer: { kind: "data", status: 200, data: receiverTestSchema },
  errors: ["not_found", "rate_limit_exceeded"],
} as const satisfies Operation;
