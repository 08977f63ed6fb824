import type { NotificationChannel } from "../../../schema/contract/notification.ts";
import type { NotificationChannelView } from "../../../schema/contract/notification-channel.ts";
import { NOTIFICATION_CHANNELS } from "../../../schema/contract/notification.ts";
import type { NotificationChannelRow } from "../../store/notification-channels.ts";
import type { Deps } from "../deps.ts";
import type { ChannelsOfEnvironment } from "../notification-settings.ts";
import { readNotificationSettingsNow } from "./read-settings.ts";

/** Every channel, with the missing settings of one that cannot be used yet. */
export async function listNotificationChannels(
  deps: Pick<Deps, "settings" | "db" | "now">,
): Promise<NotificationChannelView[]> {
  const { settings, rows } = await readNotificationSettingsNow(deps);
  return NOTIFICATION_CHANNELS.map((channel) => {
    const { ok, ...rest } = settings[channel];
    const row = rows.find((one) => one.channel === channel);
    return {
      channel,
      configured: ok,
      problems: "problems" in rest ? [...rest.problems] : [],
      ...(row === undefined ? ofEnvironment(deps.settings.channelsOfEnvironment, channel) : ofStored(row)),
    };
  });
}

type Shown = Pick<NotificationChannelView, "transport" | "from" | "source" | "stored">;

function ofEnvironment(
  { mailTransport, mailFrom, smsFrom, given }: ChannelsOfEnvironment,
  channel: NotificationChannel,
): Shown {
  const source = given[channel] ? "environment" : null;
  const shown = {
    email: { transport: mailTransport, from: mailFrom },
    sms: { transport: "http", from: smsFrom },
    webhook: { transport: "http", from: null },
  } as const;
  return { ...shown[channel], source, stored: null };
}

function ofStored({ settings }: NotificationChannelRow): Shown {
  const transport = settings.smtp === undefined ? "http" : "smtp";
  return { transport, from: settings.from ?? null, source: "stored", stored: settings };
}
