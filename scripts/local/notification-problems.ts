import { z } from "zod";
import { notificationChannelViewSchema } from "../../schema/contract/notification.ts";
import type { NotificationChannel } from "../../schema/contract/notification.ts";
import type { Api } from "./api.ts";

const SETTINGS = {
  email: /^NOTIFY_(?:EMAIL|SMTP)_/u,
  sms: /^NOTIFY_SMS_/u,
  webhook: /^NOTIFY_WEBHOOK_/u,
} as const satisfies Record<NotificationChannel, RegExp>;

/** Problems of the notification channels that have any setting; an unconfigured channel is not a problem. */
export async function notificationProblems(
  api: Api,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<string[]> {
  const set = Object.keys(environment).filter((name) => (environment[name] ?? "").trim() !== "");
  if (!set.some((name) => name.startsWith("NOTIFY_"))) return [];
  const channels = await api.get("/notification-channels", z.array(notificationChannelViewSchema));
  return channels
    .filter(({ channel, configured }) => !configured && set.some((name) => SETTINGS[channel].test(name)))
    .flatMap(({ channel, problems }) => problems.map((problem) => `the channel ${channel} cannot be used: ${problem}`));
}
