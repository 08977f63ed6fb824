import type { ReceiverType } from "../../../schema/contract/notification-receiver.ts";
import { NOTICE_TEXT_MAX_BYTES } from "../../../schema/limits.ts";
import { slackBody, teamsBody } from "../../domain/notification/chat-message.ts";
import { cutToBytes } from "./cut-to-bytes.ts";
import type { NotificationChannelRow } from "../../store/notification-channels.ts";
import type { NotificationReceiverRow } from "../../store/notification-receivers.ts";
import type { Deps } from "../deps.ts";
import { openText } from "../sealed-text.ts";
import { PREPARE } from "./delivery.ts";
import { postTo } from "./post-to.ts";
import type { Prepared } from "./prepared.ts";
import { readNotificationSettings } from "./read-settings.ts";
import { SMS_MAX_CHARS } from "./send-sms.ts";
import { checkWebhookTarget } from "./webhook-target.ts";

/** What a receiver gets, as plain text: each way of sending escapes it. */
export interface NoticeMessage {
  /** The same at every attempt: letters, digits, `_` and `-`. */
  readonly id: string;
  /** When it was noticed (epoch ms). */
  readonly at: number;
  readonly subject: string;
  readonly text: string;
  /** A page for people about it. */
  readonly url: string | null;
}

export type Receiver = Pick<NotificationReceiverRow, "id" | "type" | "recipients" | "sealedAddress" | "shown">;

/**
 * A message to a receiver, ready for attempts; `judgeAnswer` decides about each answer. A caller that must send while
 * libSQL is away passes the rows of stored channels, which it keeps; without them, this throws when none are known. Slack and Teams know no id of
 * a message: after an attempt without an answer, a message may come twice.
 */
export async function prepareReceiverDelivery(
  deps: Pick<Deps, "settings" | "db" | "now">,
  receiver: Receiver,
  message: NoticeMessage,
  channelRows?: readonly NotificationChannelRow[],
): Promise<Prepared<ReceiverType>> {
  const { type, recipients } = receiver;
  const { secret, channelsOfEnvironment } = deps.settings;
  // Slack and Teams need no channel, and so no database.
  const needsChannel = type !== "slack" && type !== "teams";
  const channels = needsChannel ? await readNotificationSettings(deps, channelRows) : channelsOfEnvironment;
  const shown = { ...message, text: cutToBytes(message.text, NOTICE_TEXT_MAX_BYTES) };
  const origin = { ...message, executionId: null, workflowId: null, nodeRunId: null };
  if (type === "email") {
    return PREPARE.email(channels, origin, { to: recipients ?? [], subject: shown.subject, message: textOf(shown) });
  }
  if (type === "sms") {
    return PREPARE.sms(channels, origin, { to: recipients ?? [], message: shortTextOf(shown) });
  }
  const address = receiver.sealedAddress === null ? null : await openText(secret, receiver.id, receiver.sealedAddress);
  if (address === null) return { ok: false, failure: { code: "channel_not_configured", message: UNREADABLE } };
  if (type === "webhook") {
    const prepared = PREPARE.webhook(channels, origin, { to: address, subject: shown.subject, message: shown.text });
    if (!prepared.ok) return prepared;
    return { ok: true, delivery: { ...prepared.delivery, target: { channel: "webhook", to: [receiver.shown] } } };
  }
  const target = checkWebhookTarget(address, channels.allowPrivate);
  if (!target.ok) return { ok: false, failure: { code: target.code, message: target.message } };
  const body = JSON.stringify(type === "slack" ? slackBody(shown) : teamsBody(shown));
  const headers = { "Content-Type": "application/json", "User-Agent": "Bellhop" };
  const request = { url: target.url, headers, body };
  return {
    ok: true,
    delivery: {
      target: { channel: type, to: [receiver.shown] },
      send: (_finished, { signal }) => postTo(channels, request, null, signal),
    },
  };
}

const UNREADABLE =
  "The receiver's address was stored under another BELLHOP_SECRET and cannot be read. Enter the address again.";

function textOf({ text, url }: NoticeMessage): string {
  return url === null ? text : `${text}\n\n${url}`;
}

/** The whole link, and as much of the text as a text message holds. */
function shortTextOf({ subject, text, url }: NoticeMessage): string {
  const link = url === null ? "" : `\n${url}`;
  const said = `${subject}\n${text}`;
  const room = SMS_MAX_CHARS - link.length;
  return `${said.length <= room ? said : `${said.slice(0, room - 1).toWellFormed()}…`}${link}`;
}
