import { z } from "zod";
import { RESPONSE } from "../action-outputs.ts";
import { text } from "../action-params.ts";
import { jsonObjectSchema } from "../json.ts";
import { configFields, connectionType, paramFields, secretForm } from "./descriptor.ts";
import { secretText } from "./fields.ts";

const CHANNEL = {
  // A blank text, such as the result of a template without a value, means the connection's default.
  schema: z.string().max(253).optional(),
  label: "Channel",
  help: "When empty, the connection's default.",
} as const;
const TEXT = { schema: text, label: "Text" } as const;
const BLOCKS = {
  schema: z.array(jsonObjectSchema).optional(),
  label: "Blocks",
  help: "The message's layout, as JSON. Notifications then show the text.",
} as const;
const TS = {
  schema: z.string().min(1).max(64),
  label: "Message timestamp (ts)",
  help: "The ts of the message, from the output of chat.sendMessage.",
} as const;
const MESSAGE = {
  ...RESPONSE,
  ts: { type: "text", help: "the message's timestamp, which is its id" },
  channel: { type: "text", help: "the channel's id" },
} as const;

export const chat = connectionType({
  label: "Chat",
  does: "Messages and reactions in Slack.",
  needs: "A Slack app's bot token (xoxb-…), and the id of a channel.",
  icon: "chat",
  config: configFields({
    defaultChannel: {
      schema: z.string().regex(/^C[A-Z0-9]{2,63}$/u, "must be the channel's id, which starts with C, not its name"),
      label: "Default channel",
      help: "The channel's id, not its name. It starts with C and is at the end of the channel's details in Slack.",
      placeholder: "C024BE91L",
    },
  }),
  secrets: secretForm({
    botToken: {
      schema: secretText,
      label: "Bot token",
      help: "The Bot User OAuth Token of the Slack app. It begins with xoxb-.",
    },
  }),
  needsCredential: () => true,
  // The address is the agent's setting SLACK_API_URL.
  target: () => ({}),
  targetWithoutFields: "Slack, or the agent's setting SLACK_API_URL",
  runsCode: false,
  stages: ["API reachable", "Authentication", "Permissions", "Channel"],
  actions: {
    "chat.sendMessage": {
      label: "Send message",
      effect: "unsafe",
      params: paramFields({
        channel: CHANNEL,
        text: TEXT,
        blocks: BLOCKS,
        threadTs: {
          schema: z.string().max(64).optional(),
          label: "Thread timestamp (ts)",
          help: "The message is posted in the thread of the message with this ts.",
        },
      }),
      output: MESSAGE,
      example: { text: "The web server was restarted." },
    },
    "chat.updateMessage": {
      label: "Update message",
      effect: "idempotent",
      params: paramFields({ channel: CHANNEL, ts: TS, text: TEXT, blocks: BLOCKS }),
      output: MESSAGE,
      example: { ts: "1503435956.000247", text: "It is up again." },
    },
    "chat.addReaction": {
      label: "Add reaction",
      effect: "idempotent",
      params: paramFields({
        channel: CHANNEL,
        ts: TS,
        name: { schema: z.string().min(1).max(100), label: "Emoji name", placeholder: "white_check_mark" },
      }),
      output: RESPONSE,
      example: { ts: "1503435956.000247", name: "white_check_mark" },
    },
  },
  example: { config: { defaultChannel: "C024BE91L" }, secrets: [{ botToken: "a-slack-bot-token" }] },
});
