import { notificationChannelViewSchema } from "../notification.ts";
import type { Operation } from "../operation.ts";

export const listNotificationChannels = {
  id: "listNotificationChannels",
  method: "GET",
  path: "/api/v1/automation/notification-channels",
  tag: "Notifications",
  summary: "List notification channels",
  description:
    "The channels of notification.sendNotification: whether each is configured, and what is missing. Unless " +
    "NOTIFY_WEBHOOK_ALLOW_PRIVATE is true, webhooks do not go to addresses of private networks. Only `to` itself is " +
    "checked, not the address that a name resolves to.",
  access: "automation:read",
  answer: { kind: "page", item: notificationChannelViewSchema },
} as const satisfies Operation;
