import type { JsonObject } from "../../../schema/contract/json.ts";
import { objectOf } from "../../../schema/contract/json-object.ts";
import { ExecutorFailure } from "../shared/failures.ts";
import { listOf, textIn } from "../shared/json-members.ts";
import { quoted } from "../shared/quoted.ts";
import { channelHint } from "./channel.ts";

interface Known {
  code: string;
  remedy: string;
}

const RENEW = "Make a new token under OAuth & Permissions of the Slack app, and deliver it as botToken.";
const INVITE = "Invite the bot: write /invite @its-name in the channel.";

/** Common errors of Slack, and what to do about them. */
const KNOWN: Readonly<Record<string, Known>> = {
  invalid_auth: { code: "authentication_failed", remedy: `The token is not valid. ${RENEW}` },
  not_authed: {
    code: "authentication_failed",
    remedy: "The request arrived without its token. Look for a proxy that removes it.",
  },
  token_revoked: { code: "authentication_failed", remedy: `The token was revoked. ${RENEW}` },
  token_expired: { code: "authentication_failed", remedy: `The token has expired. ${RENEW}` },
  account_inactive: {
    code: "authentication_failed",
    remedy: `The bot or its workspace was deactivated. Install the Slack app again. ${RENEW}`,
  },
  not_allowed_token_type: {
    code: "authentication_failed",
    remedy: "This is not a token of a bot. Deliver the Bot User OAuth Token, which begins with xoxb-.",
  },
  missing_scope: { code: "permission_denied", remedy: "Add it under OAuth & Permissions and install the app again." },
  no_permission: { code: "permission_denied", remedy: "The token may not do this: check the Slack app's scopes." },
  restricted_action: {
    code: "permission_denied",
    remedy: "The workspace's rules do not let the bot post there: ask its administrator.",
  },
  not_in_channel: { code: "not_in_channel", remedy: `The bot is not in the channel. ${INVITE}` },
  is_archived: { code: "not_found", remedy: "The channel is archived. Unarchive it or choose another one." },
  message_not_found: {
    code: "not_found",
    remedy: "There is no such message in this channel: check ts and channel, both from chat.sendMessage's output.",
  },
  thread_not_found: {
    code: "not_found",
    remedy: "There is no such thread in this channel: check threadTs and channel.",
  },
  cant_update_message: { code: "rejected", remedy: "The bot can change only its own messages. Check ts." },
  edit_window_closed: {
    code: "rejected",
    remedy: "The workspace no longer lets this message be changed: it is too old. Send a new one.",
  },
  msg_too_long: { code: "rejected", remedy: "The text is too long (40,000 characters at most): shorten it." },
  no_text: { code: "rejected", remedy: "The message is empty: give it a text or blocks." },
  invalid_blocks: { code: "rejected", remedy: "Check blocks with Slack's Block Kit Builder." },
  invalid_blocks_format: { code: "rejected", remedy: "Check blocks with Slack's Block Kit Builder." },
  invalid_name: {
    code: "rejected",
    remedy: "There is no such emoji in the workspace: write its name, such as thumbsup, not the character.",
  },
  fatal_error: {
    code: "outcome_unknown",
    remedy: "Slack had an internal error. Check whether the change was made before you try again.",
  },
  internal_error: {
    code: "outcome_unknown",
    remedy: "Slack had an internal error. Check whether the change was made before you try again.",
  },
};

/** The failure for an answer with `ok: false`. Its message contains Slack's error name, for searching. */
export function slackFailure(
  { members, output }: { members: JsonObject; output: JsonObject },
  { method, channel, secrets }: { method: string; channel: string; secrets: readonly string[] },
): ExecutorFailure {
  const error = textIn(members["error"]) ?? "unknown error";
  const known = Object.hasOwn(KNOWN, error) ? KNOWN[error] : undefined;
  const remedy =
    error === "channel_not_found"
      ? `Slack does not know the channel, or the bot may not see it. ${channelHint(channel)}`
      : known?.remedy;
  const code = error === "channel_not_found" ? "not_found" : (known?.code ?? "rejected");
  const said = quoted(error, secrets);
  const parts = [
    `Slack refused ${method} for ${quoted(channel, secrets)}: ${said}.`,
    missingScope(members, secrets),
    remedy,
    details(members, secrets),
  ];
  return new ExecutorFailure(code, parts.filter((part) => part !== undefined && part !== "").join(" "), output);
}

/** What to do about an error of the token; null for another error. */
export function tokenRemedy(error: string): string | null {
  const known = Object.hasOwn(KNOWN, error) ? KNOWN[error] : undefined;
  return known?.code === "authentication_failed" ? known.remedy : null;
}

function missingScope({ needed }: JsonObject, secrets: readonly string[]): string {
  return textIn(needed) === null ? "" : `The token lacks the scope ${quoted(needed, secrets)}.`;
}

/** Details from Slack, such as which block is wrong. */
function details({ response_metadata: metadata, warning }: JsonObject, secrets: readonly string[]): string {
  const said = [...listOf(objectOf(metadata)["messages"]), warning ?? ""].filter((text) => textIn(text) !== null);
  return said.length === 0 ? "" : `Slack says: ${quoted(said.join("; "), secrets)}`;
}
