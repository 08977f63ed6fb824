import type { ConnectionConfig } from "../../../schema/contract/connection.ts";

/** Public and private channels, direct messages, and people, who get a direct message. */
const CHANNEL_ID = /^[CGDUW][A-Z0-9]{2,}$/u;

/** The action's channel, or the connection's default. A template without a result leaves the channel blank. */
export function chosenChannel(channel: string | undefined, config: ConnectionConfig<"chat">): string {
  return channel?.trim() || config.defaultChannel;
}

/** A hint about a channel that Slack does not know. */
export function channelHint(channel: string): string {
  if (CHANNEL_ID.test(channel)) {
    return "Check the id, and if the channel is private, invite the bot to it.";
  }
  return (
    `${JSON.stringify(channel)} looks like a name: write the channel's id, which starts with C and is at the end of its ` +
    "details in Slack. An id stays the same when a channel is renamed."
  );
}
