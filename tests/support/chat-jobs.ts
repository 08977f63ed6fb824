import type { ExecutorOutcome } from "../../agent/executors/executor.ts";
import type { JsonObject } from "../../schema/contract/json.ts";
import { runAction, type TestJob } from "./executor-context.ts";
import { SLACK_TOKEN, type SlackApi } from "./slack-api.ts";

/** The parts of a chat job except its parameters. */
export function chatJob(slack: SlackApi): { config: JsonObject; secrets: Record<string, string>; slackApiUrl: string } {
  return { config: { defaultChannel: "C0INCIDENTS" }, secrets: { botToken: SLACK_TOKEN }, slackApiUrl: slack.url };
}

export function chat(slack: SlackApi, action: string, params: JsonObject, job: TestJob = {}): Promise<ExecutorOutcome> {
  return runAction("chat", `chat.${action}`, { ...chatJob(slack), params, ...job });
}
