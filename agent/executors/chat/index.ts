import { ACTIONS } from "../../../schema/contract/action.ts";
import { CONNECTION_CONFIGS } from "../../../schema/contract/connection.ts";
import type { JsonObject } from "../../../schema/contract/json.ts";
import { chosenChannel } from "./channel.ts";
import { createSlack, type Slack, type SlackAnswer, slackPlace } from "./slack.ts";
import { testSlack } from "./test-slack.ts";
import type { Executor, ExecutorContext } from "../executor.ts";
import { action, invalidParams, parsed } from "../shared/failures.ts";

const TIMESTAMP = /^\d{1,16}\.\d{1,9}$/u;
/** Slack reports an existing reaction as an error, but the wanted state is reached. */
const HOLDS_ALREADY = ["already_reacted"];
const SAFE_TO_REPEAT = "It is not known whether the change was made. It is safe to run the action again.";

/** Messages and reactions in a workspace, through the Slack Web API with a bot's token. */
export const executor: Executor<"chat"> = {
  actions: {
    "chat.sendMessage": action(async (context) => {
      const params = parsed(ACTIONS["chat.sendMessage"].params, context.params, "invalid_params");
      const { slack, channel } = begin(context, params.channel);
      const threadTs = params.threadTs?.trim() ?? "";
      return message(
        await slack.call({
          method: "chat.postMessage",
          channel,
          json: {
            channel,
            text: params.text,
            ...(params.blocks === undefined ? {} : { blocks: params.blocks }),
            // Empty when a template has no result: then the message belongs to no thread.
            ...(threadTs === "" ? {} : { thread_ts: timestamp("threadTs", threadTs) }),
          },
          mayHave: "The message may have been posted. Check the channel before you send it again.",
        }),
      );
    }),
    "chat.updateMessage": action(async (context) => {
      const params = parsed(ACTIONS["chat.updateMessage"].params, context.params, "invalid_params");
      const { slack, channel } = begin(context, params.channel);
      const { text, blocks } = params;
      const json = {
        channel,
        ts: timestamp("ts", params.ts),
        text,
        ...(blocks === undefined ? {} : { blocks }),
      };
      return message(await slack.call({ method: "chat.update", channel, json, mayHave: SAFE_TO_REPEAT }));
    }),
    "chat.addReaction": action(async (context) => {
      const params = parsed(ACTIONS["chat.addReaction"].params, context.params, "invalid_params");
      const { slack, channel } = begin(context, params.channel);
      const json = { channel, timestamp: timestamp("ts", params.ts), name: reactionName(params.name) };
      const request = { method: "reactions.add", channel, json, mayHave: SAFE_TO_REPEAT, fine: HOLDS_ALREADY };
      return (await slack.call(request)).output;
    }),
  },
  test: testSlack,
  resolveTarget: async ({ settings }) => slackPlace(settings),
};

function begin(context: ExecutorContext, channel: string | undefined): { slack: Slack; channel: string } {
  const config = parsed(CONNECTION_CONFIGS.chat, context.connection.config, "invalid_config");
  return { slack: createSlack(context), channel: chosenChannel(channel, config) };
}

/** `{statusCode, body, ts, channel, truncated?}`. */
function message({ output, members }: SlackAnswer): JsonObject {
  const { ts = null, channel = null } = members;
  return { ...output, ts, channel };
}

/** The id of a Slack message: its time as text, because a number would lose digits. */
function timestamp(name: string, value: string): string {
  const ts = value.trim();
  if (TIMESTAMP.test(ts)) return ts;
  throw invalidParams(
    `${name} must be the ts of a message, such as 1712345678.123456. chat.sendMessage gives it as output.ts.`,
  );
}

/** Names are written with and without colons. A skin tone contains colons: thumbsup::skin-tone-2. */
function reactionName(value: string): string {
  const name = value.trim().replace(/^:/u, "").replace(/:$/u, "");
  if (name !== "") return name;
  throw invalidParams("name must be the name of an emoji, such as thumbsup.");
}
