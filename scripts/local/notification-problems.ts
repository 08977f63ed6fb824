import { z } from "zod";
import { notificationChannelViewSchema } from "../../schema/contract/notification-channel.ts";
import type { Api } from "./api.ts";

/** Problems of the notification channels that have any setting; an unconfigured channel is not a problem. */
export async function notificationProblems(api: Api): Promise<string[]> {
  const channels = await api.get("/notification-channels", z.array(notificationChannelViewSchema));
  return channels
    .filter(({ configured, source }) => !configured && source !== null)
    .flatMap(({ channel, problems }) => problems.map((problem) => `the channel ${channel} cannot be used: ${problem}`));
}
