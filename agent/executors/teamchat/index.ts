import { ACTIONS } from "../../../schema/contract/action.ts";
import type { Executor } from "../executor.ts";
import { action, parsed } from "../shared/failures.ts";
import { checkedCard, messageCard } from "./card.ts";
import { postCard } from "./post-card.ts";
import { testWebhook } from "./test-webhook.ts";

/** Messages and Adaptive Cards to a Microsoft Teams channel, through a Workflows URL or an incoming webhook. */
export const executor: Executor<"teamchat"> = {
  actions: {
    "teamchat.sendMessage": action(async (context) => {
      const params = parsed(ACTIONS["teamchat.sendMessage"].params, context.params, "invalid_params");
      return await postCard(context, messageCard(params));
    }),
    "teamchat.sendAdaptiveCard": action(async (context) => {
      const { card } = parsed(ACTIONS["teamchat.sendAdaptiveCard"].params, context.params, "invalid_params");
      return await postCard(context, checkedCard(card));
    }),
  },
  test: testWebhook,
};
