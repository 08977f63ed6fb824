import { notificationChannelViewSchema } from "../notification.ts";
import type { Operation } from "../operation.ts";

export const listNotificationChannels = {
  id: "listNotificationChannels",
  method: "GET",
  path: "/api/v1/automation/notification-channels",
  tag: "Notifications",
  summary: "List notification channels",
  description:
    "The channels of notification.sendNotification: whether each is configured, and what is missing where it is not. " +
    "Unless NOTIFY_WEBHOOK_ALLOW_PRIVATE is true, webhooks do not go to addresses of private networks; only addresses " +
    "and names that stand in `to` are looked at, not what a name resolves to.",
  access: "automation:read",
  answer: { kind: "page", item: notificationChannelViewSchema },
} as const satisfies Operation;
