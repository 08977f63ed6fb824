import { CONNECTION_CONFIGS } from "../../../schema/contract/connection.ts";
import { formsOfSecrets } from "../../mask-forms.ts";
import type { ConnectionCheck, ExecutorContext } from "../executor.ts";
import { ExecutorFailure, parsed } from "../shared/failures.ts";
import { textIn } from "../shared/json-members.ts";
import { quoted } from "../shared/quoted.ts";
import { createJira, type Jira } from "./jira.ts";

const REACHED = "API reachable";
const AUTHENTICATION = "Authentication";
/** Failures that only the API itself reports: it was reached, and refused. */
const ANSWERED = new Set(["authentication_failed", "permission_denied", "rate_limited"]);

/** Reads the current account (docs/design/connections.md#connection-tests). */
export async function testJira(context: ExecutorContext): Promise<ConnectionCheck[]> {
  const secrets = formsOfSecrets(context.secrets ?? {});
  try {
    const { jira, problem } = jiraWithToken(context);
    const url = jira.site.api("myself");
    const reached: ConnectionCheck = { name: REACHED, ok: true, detail: `${url.host} answered.` };
    const refuse = (detail: string): ConnectionCheck[] => [reached, { name: AUTHENTICATION, ok: false, detail }];
    try {
      const { members } = await jira.call({ method: "GET", url, to: "show the account of this token", mayHave: null });
      if (problem !== null) return refuse(problem);
      const account = textIn(members["displayName"]) ?? textIn(members["emailAddress"]) ?? textIn(members["accountId"]);
      if (account === null) {
        const detail = `${url.host} answered with something that is not Jira's REST API. Check serverUrl.`;
        return [{ name: REACHED, ok: false, detail }];
      }
      return [reached, { name: AUTHENTICATION, ok: true, detail: `Logged in as ${quoted(account, secrets)}.` }];
    } catch (error) {
      if (!(error instanceof ExecutorFailure) || !ANSWERED.has(error.code)) throw error;
      return refuse(problem ?? error.message);
    }
  } catch (error) {
    if (error instanceof ExecutorFailure) return [{ name: REACHED, ok: false, detail: error.message }];
    throw error;
  }
}

/** Without a usable token the test still reports whether Jira can be reached. */
function jiraWithToken(context: ExecutorContext): { jira: Jira; problem: string | null } {
  const config = parsed(CONNECTION_CONFIGS.ticketing, context.connection.config, "invalid_config");
  try {
    return { jira: createJira(context, config), problem: null };
  } catch (error) {
    if (!(error instanceof ExecutorFailure) || error.code !== "credential_missing") throw error;
    return { jira: createJira(context, config, { anonymous: true }), problem: error.message };
  }
}
