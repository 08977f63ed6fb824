import type { ConnectionConfig } from "../../../schema/contract/connection.ts";
import type { JsonObject } from "../../../schema/contract/json.ts";
import { formsOfSecrets } from "../../mask-forms.ts";
import type { ExecutorContext } from "../executor.ts";
import type { Headers } from "../http/headers.ts";
import { ExecutorFailure } from "../shared/failures.ts";
import { type ApiAnswer, createJsonApi } from "../shared/json-api.ts";
import { jiraSite, type JiraSite } from "./addresses.ts";
import { jiraFailure } from "./jira-failures.ts";

export interface JiraRequest {
  method: "GET" | "POST" | "PUT";
  url: URL;
  json?: JsonObject;
  /** The purpose of the request, for messages: "create an issue in OPS". */
  to: string;
  /** What to say when no answer arrives; null for a request that only reads. */
  mayHave: string | null;
}

export interface Jira {
  site: JiraSite;
  /** Throws for every answer but 2xx, with Jira's own message. */
  call(request: JiraRequest): Promise<ApiAnswer>;
}

/** Jira Cloud's REST API, version 3, as the connection's account, or `anonymous` for the connection test. */
export function createJira(
  context: ExecutorContext,
  { serverUrl, email }: ConnectionConfig<"ticketing">,
  { anonymous = false } = {},
): Jira {
  const site = jiraSite(serverUrl);
  const secrets = formsOfSecrets(context.secrets ?? {});
  const headers: Headers = anonymous ? {} : { authorization: basicAuthorization(email, context) };
  const api = createJsonApi({ peer: "Jira", signal: context.signal, timeoutMs: context.timeoutMs, secrets });
  return {
    site,
    call: async ({ method, url, json, to, mayHave }) => {
      const answer = await api.call({ method, url, headers, ...(json === undefined ? {} : { json }), mayHave });
      const refused = jiraFailure(answer, { to, mayHave, host: url.host, secrets });
      if (refused !== null) throw refused;
      return answer;
    },
  };
}

function basicAuthorization(email: string, { secrets }: ExecutorContext): string {
  // A token copied from a file may end with a line break.
  const token = secrets?.["apiToken"]?.trim() ?? "";
  if (token === "") {
    const message =
      "This agent's vault has no apiToken for the connection. Make one under id.atlassian.com, Security, API tokens, and " +
      "deliver it to this agent.";
    throw new ExecutorFailure("credential_missing", message);
  }
  return `Basic ${Buffer.from(`${email}:${token}`).toString("base64")}`;
}
