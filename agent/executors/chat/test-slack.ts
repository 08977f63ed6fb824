import { CONNECTION_CONFIGS } from "../../../schema/contract/connection.ts";
import { formsOfSecrets } from "../../mask-forms.ts";
import type { ConnectionCheck, ExecutorContext } from "../executor.ts";
import { ExecutorFailure, parsed } from "../shared/failures.ts";
import { textIn } from "../shared/json-members.ts";
import { quoted } from "../shared/quoted.ts";
import { channelHint } from "./channel.ts";
import { createSlack, type SlackAnswer } from "./slack.ts";
import { tokenRemedy } from "./slack-failures.ts";
import { objectOf } from "../../../schema/contract/json-object.ts";

const REACHED = "API reachable";
const AUTHENTICATION = "Authentication";
const PERMISSIONS = "Permissions";
const CHANNEL = "Channel";
const CREDENTIAL_CODES = new Set(["credential_missing", "invalid_credential", "target_changed"]);

/**
 * Checks the token with auth.test, then its scopes as the answer reports them, then the default channel if the token
 * may read it. Posts nothing.
 */
export async function testSlack(context: ExecutorContext): Promise<ConnectionCheck[]> {
  const checks: ConnectionCheck[] = [];
  const { host } = new URL(context.settings.slackApiUrl);
  const { slack, problem } = slackWithToken(context);
  const answer = await asked(() => slack.ask("auth.test", {}));
  if (answer instanceof ExecutorFailure) return [{ name: REACHED, ok: false, detail: answer.message }];
  checks.push({ name: REACHED, ok: true, detail: `${host} answered auth.test.` });
  checks.push(
    problem === null ? authentication(answer, context) : { name: AUTHENTICATION, ok: false, detail: problem },
  );
  if (checks.some(({ ok }) => !ok)) return checks;
  checks.push(...permissions(answer));
  if (checks.some(({ ok }) => !ok)) return checks;
  const { defaultChannel } = parsed(CONNECTION_CONFIGS.chat, context.connection.config, "invalid_config");
  const info = await asked(() => slack.ask("conversations.info", { channel: defaultChannel }));
  return [...checks, channelCheck(info, defaultChannel, context)];
}

/** Without a usable token the test still reports whether Slack can be reached. */
function slackWithToken(context: ExecutorContext): { slack: ReturnType<typeof createSlack>; problem: string | null } {
  try {
    return { slack: createSlack(context), problem: null };
  } catch (error) {
    if (!(error instanceof ExecutorFailure) || !CREDENTIAL_CODES.has(error.code)) throw error;
    return { slack: createSlack(context, { anonymous: true }), problem: error.message };
  }
}

async function asked(ask: () => Promise<SlackAnswer>): Promise<SlackAnswer | ExecutorFailure> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof ExecutorFailure) return error;
    throw error;
  }
}

function authentication({ members }: SlackAnswer, context: ExecutorContext): ConnectionCheck {
  const secrets = formsOfSecrets(context.secrets ?? {});
  if (members["ok"] !== true) {
    const error = textIn(members["error"]) ?? "unknown error";
    const remedy = tokenRemedy(error) ?? "Check the Slack app and its token.";
    return { name: AUTHENTICATION, ok: false, detail: `Slack refused the token: ${quoted(error, secrets)}. ${remedy}` };
  }
  const { user, team } = members;
  const detail = `Logged in as ${quoted(user, secrets)} of ${quoted(team, secrets)}.`;
  return { name: AUTHENTICATION, ok: true, detail };
}

/** Whether the token may send. No check when Slack does not report the scopes. */
function permissions({ headers }: SlackAnswer): ConnectionCheck[] {
  const scopes = scopesOf(headers);
  if (scopes === null) return [];
  if (scopes.includes("chat:write")) {
    return [{ name: PERMISSIONS, ok: true, detail: "The token may send messages (chat:write)." }];
  }
  const detail =
    "The token lacks the scope chat:write: it can neither send nor change messages. Add it under OAuth & Permissions of " +
    "the Slack app and install the app again.";
  return [{ name: PERMISSIONS, ok: false, detail }];
}

function channelCheck(
  answer: SlackAnswer | ExecutorFailure,
  channel: string,
  context: ExecutorContext,
): ConnectionCheck {
  const secrets = formsOfSecrets(context.secrets ?? {});
  const unchecked = (why: string): ConnectionCheck => {
    return { name: CHANNEL, ok: true, detail: `${channel} was not checked: ${why}` };
  };
  if (answer instanceof ExecutorFailure) return unchecked(answer.message);
  const { members, headers } = answer;
  const error = textIn(members["error"]);
  if (error === "channel_not_found") {
    const detail = `Slack does not know ${channel}, or the bot may not see it. ${channelHint(channel)}`;
    return { name: CHANNEL, ok: false, detail };
  }
  if (error === "missing_scope") {
    return unchecked(
      "the token may not read channels. Add the scope channels:read for this check; sending does not need it.",
    );
  }
  if (members["ok"] !== true) return unchecked(`Slack answered ${quoted(error ?? "nothing", secrets)}.`);
  const info = objectOf(members["channel"]);
  const name = `${channel} (${quoted(info["name"], secrets)})`;
  if (info["is_archived"] === true) {
    return { name: CHANNEL, ok: false, detail: `${name} is archived. Unarchive it or choose another one.` };
  }
  const postsAnywhere = scopesOf(headers)?.includes("chat:write.public") ?? false;
  if (info["is_member"] === false && !postsAnywhere) {
    return { name: CHANNEL, ok: false, detail: `The bot is not in ${name}: write /invite @its-name there.` };
  }
  return { name: CHANNEL, ok: true, detail: `${name} was found.` };
}

/** Slack reports the token's scopes with every answer; null when it does not. */
function scopesOf(headers: SlackAnswer["headers"]): string[] | null {
  const header = headers["x-oauth-scopes"];
  return typeof header === "string" ? header.split(",").map((scope) => scope.trim()) : null;
}
