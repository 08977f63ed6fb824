import type { NotificationChannelView } from "../../../schema/contract/notification.ts";
import type { ChannelSettings, NotificationSettings } from "../notification-settings.ts";

/** Every channel, with the missing settings of one that cannot be used yet. */
export function listNotificationChannels(settings: NotificationSettings): NotificationChannelView[] {
  const { email, sms, webhook, mailTransport, mailFrom, smsFrom } = settings;
  const state = (settings: ChannelSettings<unknown>) => ({
    configured: settings.ok,
    problems: settings.ok ? [] : [...settings.problems],
  });
  return [
    { channel: "email", transport: mailTransport, from: mailFrom, ...state(email) },
    { channel: "sms", transport: "http", from: smsFrom, ...state(sms) },
    { channel: "webhook", transport: "http", from: null, ...state(webhook) },
  ];
}
