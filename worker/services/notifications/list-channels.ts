import type { NotificationChannelView } from "../../../schema/contract/notification.ts";
import type { Env } from "../../env.ts";
import { emailSettings, mailTransportType } from "./email-settings.ts";
import { settingOf } from "./setting.ts";
import type { ChannelSettings } from "./setting.ts";
import { smsSettings } from "./sms-settings.ts";
import { webhookSettings } from "./webhook-settings.ts";

/** Every channel, and what is to be set where it cannot be used yet. */
export function listNotificationChannels(env: Env): NotificationChannelView[] {
  const state = (settings: ChannelSettings<unknown>) => ({
    configured: settings.ok,
    problems: settings.ok ? [] : [...settings.problems],
  });
  return [
    {
      channel: "email",
      transport: mailTransportType(env),
      from: settingOf(env, "NOTIFY_EMAIL_FROM"),
      ...state(emailSettings(env)),
    },
    { channel: "sms", transport: "http", from: settingOf(env, "NOTIFY_SMS_FROM"), ...state(smsSettings(env)) },
    { channel: "webhook", transport: "http", from: null, ...state(webhookSettings(env)) },
  ];
}
