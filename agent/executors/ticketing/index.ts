import { ACTIONS } from "../../../schema/contract/action.ts";
import { CONNECTION_CONFIGS } from "../../../schema/contract/connection.ts";
import type { JsonObject } from "../../../schema/contract/json.ts";
import { formsOfSecrets } from "../../mask-forms.ts";
import type { Executor, ExecutorContext } from "../executor.ts";
import { action, ExecutorFailure, invalidParams, parsed } from "../shared/failures.ts";
import { textIn } from "../shared/json-members.ts";
import { checkedIssueKey } from "./addresses.ts";
import { documentOf } from "./document.ts";
import { newIssueFields, withDocuments } from "./fields.ts";
import { createJira, type Jira } from "./jira.ts";
import { testJira } from "./test-jira.ts";
import { transitionIssue } from "./transition.ts";

/** Issues in Jira Cloud, through its REST API, version 3, with an account's API token. */
export const executor: Executor<"ticketing"> = {
  actions: {
    "ticketing.createIssue": action(async (context) => {
      const params = parsed(ACTIONS["ticketing.createIssue"].params, context.params, "invalid_params");
      const jira = open(context);
      const fields = newIssueFields(params);
      const { members, output } = await jira.call({
        method: "POST",
        url: jira.site.api("issue"),
        json: { fields },
        to: "create an issue",
        mayHave: "The issue may have been created. Search for it before you create it again.",
      });
      const issueKey = textIn(members["key"]);
      if (issueKey !== null) return withIssue(jira, output, issueKey);
      const message =
        "Jira accepted the issue, but its answer has no key. Search for the issue before you create it again, and check serverUrl.";
      throw new ExecutorFailure("invalid_response", message, output);
    }),
    "ticketing.updateIssue": action(async (context) => {
      const params = parsed(ACTIONS["ticketing.updateIssue"].params, context.params, "invalid_params");
      const [jira, issueKey] = [open(context), checkedIssueKey(params.issueKey)];
      if (Object.keys(params.fields).length === 0) throw invalidParams("fields must name at least one field.");
      const { output } = await jira.call({
        method: "PUT",
        url: jira.site.api("issue", issueKey),
        json: { fields: withDocuments(params.fields) },
        to: `change ${issueKey}`,
        mayHave: `It is not known whether ${issueKey} was changed. It is safe to run the action again.`,
      });
      return withIssue(jira, output, issueKey);
    }),
    "ticketing.addComment": action(async (context) => {
      const params = parsed(ACTIONS["ticketing.addComment"].params, context.params, "invalid_params");
      const [jira, issueKey] = [open(context), checkedIssueKey(params.issueKey)];
      const body = documentOf(params.body);
      if (body.content.length === 0) throw invalidParams("body must not be empty: Jira accepts no empty comments.");
      const { output } = await jira.call({
        method: "POST",
        url: jira.site.api("issue", issueKey, "comment"),
        json: { body },
        to: `comment on ${issueKey}`,
        mayHave: `The comment may have been added. Check ${issueKey} before you add it again.`,
      });
      return withIssue(jira, output, issueKey);
    }),
    "ticketing.transitionIssue": action(async (context) => {
      const params = parsed(ACTIONS["ticketing.transitionIssue"].params, context.params, "invalid_params");
      const [jira, issueKey] = [open(context), checkedIssueKey(params.issueKey)];
      const output = await transitionIssue(jira, issueKey, params.transition, formsOfSecrets(context.secrets ?? {}));
      return withIssue(jira, output, issueKey);
    }),
  },
  test: testJira,
};

function open(context: ExecutorContext): Jira {
  return createJira(context, parsed(CONNECTION_CONFIGS.ticketing, context.connection.config, "invalid_config"));
}

/** `{statusCode, body, issueKey, issueUrl?, truncated?}`, the output of every action here. */
function withIssue({ site }: Jira, output: JsonObject, issueKey: string): JsonObject {
  const issueUrl = site.page(issueKey);
  return { ...output, issueKey, ...(issueUrl === null ? {} : { issueUrl }) };
}
