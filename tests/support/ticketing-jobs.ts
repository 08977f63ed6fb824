import type { ExecutorOutcome } from "../../agent/executors/executor.ts";
import type { JsonObject } from "../../schema/contract/json.ts";
import { runAction, type TestJob } from "./executor-context.ts";
import { JIRA_EMAIL, JIRA_TOKEN, type JiraApi } from "./jira-api.ts";

/** The parts of a ticketing job except its parameters. */
export function ticketingJob(jira: JiraApi): { config: JsonObject; secrets: Record<string, string> } {
  return { config: { serverUrl: jira.origin, email: JIRA_EMAIL }, secrets: { apiToken: JIRA_TOKEN } };
}

export function ticketing(
  jira: JiraApi,
  action: string,
  params: JsonObject,
  job: TestJob = {},
): Promise<ExecutorOutcome> {
  return runAction("ticketing", `ticketing.${action}`, { ...ticketingJob(jira), params, ...job });
}
