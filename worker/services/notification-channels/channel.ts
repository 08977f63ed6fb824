import { notificationChannelSchema } from "../../../schema/contract/notification.ts";
import type { NotificationChannel } from "../../../schema/contract/notification.ts";
import type { NotificationChannelView } from "../../../schema/contract/notification-channel.ts";
import type { Deps } from "../deps.ts";
import { notFound } from "../not-found.ts";
import { listNotificationChannels } from "../notifications/index.ts";

/** Throws `not_found`. */
export function requireChannel(name: string): NotificationChannel {
  const { data } = notificationChannelSchema.safeParse(name);
  if (data === undefined) throw notFound("notification channel", name);
  return data;
}

export async function viewOf(deps: Deps, channel: NotificationChannel): Promise<NotificationChannelView> {
  const view = (await listNotificationChannels(deps)).find((one) => one.channel === channel);
  if (view === undefined) throw notFound("notification channel", channel);
  return view;
}
