import type { IncomingHttpHeaders } from "node:http";
import type { JsonObject } from "../../../schema/contract/json.ts";
import { formsOfSecrets } from "../../mask-forms.ts";
import type { ExecutorContext, ExecutorSettings } from "../executor.ts";
import type { Headers } from "../http/headers.ts";
import { ExecutorFailure } from "../shared/failures.ts";
import { createJsonApi, rateLimited } from "../shared/json-api.ts";
import { quoted } from "../shared/quoted.ts";
import { retryAfterMs } from "../../../schema/contract/retry-after.ts";
import { slackFailure } from "./slack-failures.ts";

const PEER = "Slack";
/** Characters that a header can carry. A bot's token is letters, digits and dashes. */
const TOKEN = /^[\u0021-\u007e]+$/u;

export interface SlackRequest {
  /** Such as chat.postMessage. */
  method: string;
  /** For messages about the request. */
  channel: string;
  json: JsonObject;
  /** What to say when no answer arrives. */
  mayHave: string;
  /** Slack errors that mean that the wanted state is reached. */
  fine?: readonly string[];
}

export interface SlackAnswer {
  members: JsonObject;
  output: JsonObject;
  headers: IncomingHttpHeaders;
}

export interface Slack {
  /** Calls a method with a JSON body. Throws for an answer with `ok: false`. */
  call(request: SlackRequest): Promise<SlackAnswer>;
  /** Calls a reading method. The answer may have `ok: false`. */
  ask(method: string, query: Readonly<Record<string, string>>): Promise<SlackAnswer>;
}

/** The Slack Web API with the connection's token, or without one for the connection test. */
export function createSlack(context: ExecutorContext, { anonymous = false } = {}): Slack {
  const secrets = formsOfSecrets(context.secrets ?? {});
  const api = createJsonApi({ peer: PEER, signal: context.signal, timeoutMs: context.timeoutMs, secrets });
  const headers: Headers = anonymous ? {} : { authorization: `Bearer ${botToken(context)}` };
  const address = (method: string): URL => new URL(`${context.settings.slackApiUrl}/${method}`);
  return {
    call: async ({ method, channel, json, mayHave, fine = [] }) => {
      const answer = await api.call({ method: "POST", url: address(method), headers, json, mayHave });
      const { members, output } = answer;
      if (members["ok"] === true || fine.includes(String(members["error"]))) return answer;
      if (members["ok"] === false && answer.status < 500) {
        const { error } = members;
        if (error === "ratelimited" || error === "rate_limited") {
          throw rateLimited(PEER, retryAfterMs(answer.headers["retry-after"], Date.now()), output);
        }
        throw slackFailure(answer, { method, channel, secrets });
      }
      throw unclear(context, answer.status, output, { method, mayHave, secrets });
    },
    ask: async (method, query) => {
      const url = address(method);
      for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
      const answer = await api.call({ method: "GET", url, headers, mayHave: null });
      if (typeof answer.members["ok"] === "boolean") return answer;
      throw unclear(context, answer.status, answer.output, { method, mayHave: "", secrets });
    },
  };
}

/** The place that a bot's token is bound to: an agent setting, which no connection names. */
export function slackPlace({ slackApiUrl }: Pick<ExecutorSettings, "slackApiUrl">): JsonObject {
  return { address: slackApiUrl };
}

function botToken({ secrets, settings, confirmTarget }: ExecutorContext): string {
  // A token copied from a file may end with a line break.
  const token = secrets?.["botToken"]?.trim() ?? "";
  if (token === "") {
    const message =
      "This agent's vault has no botToken for the connection: deliver it to this agent. It begins with xoxb-.";
    throw new ExecutorFailure("credential_missing", message);
  }
  confirmTarget(slackPlace(settings));
  if (TOKEN.test(token)) return token;
  const message =
    "The connection's botToken contains a space or another character that no token has. Deliver it again.";
  throw new ExecutorFailure("invalid_credential", message);
}

/** An answer without a clear outcome: Slack has a problem, or another server answered. */
function unclear(
  { settings }: ExecutorContext,
  status: number,
  output: JsonObject,
  { method, mayHave, secrets }: { method: string; mayHave: string; secrets: readonly string[] },
): ExecutorFailure {
  const { host } = new URL(settings.slackApiUrl);
  const said = quoted(output["body"], secrets);
  const reason = said === "" ? "" : ` It said: ${said}`;
  if (status >= 500) {
    const message = `Slack at ${host} could not do ${method} (status ${status}). ${mayHave}${reason}`;
    return new ExecutorFailure(mayHave === "" ? "http_status" : "outcome_unknown", message, output);
  }
  const message =
    `${host} answered ${method} with status ${status} and something that is not the Slack Web API. Check the agent's ` +
    `SLACK_API_URL and the proxies in between.${reason}`;
  return new ExecutorFailure("invalid_response", message, output);
}
