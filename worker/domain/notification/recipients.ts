import type { ActionName } from "../../../schema/contract/action.ts";
import { ADDRESSES_MAX, ADDRESSES_MAX_CHARS } from "../../../schema/contract/action-params.ts";
import type { JsonObject, JsonValue } from "../../../schema/contract/json.ts";
import type { ReceiverType } from "../../../schema/contract/notification-receiver.ts";
import type { NotificationChannel } from "../../../schema/contract/notification.ts";
import { notificationChannelSchema } from "../../../schema/contract/notification.ts";
import type { FieldError } from "../../../schema/contract/problem.ts";
import { hasNewDotSegment, renderAddress } from "../render-http-request.ts";
import type { RenderedParams } from "../render-http-request.ts";
import { loneTemplate, parseTemplate } from "../template/parse.ts";
import { renderData } from "../render-data.ts";
import { evaluate } from "../template/filters.ts";
import { textOf } from "../template/value.ts";
import type { Resolve } from "../template/value.ts";
import { parseMailbox, splitAddresses } from "../../../schema/contract/mail-address.ts";
import { parsePhoneNumber } from "./phone-number.ts";
import { checkWebhookAddress } from "./webhook-address.ts";

/** Characters that would begin another address, or end this one. */
const NOT_IN_MAIL_ADDRESS = /[,;<>"@\s\p{Cc}]/u;
const IN_HOST =
  "a value in the host name would change the host: write the host without a template, or one template as the whole address";

/** The recipients of a notification, in a form that may be shown. */
export interface NotificationTarget<T extends ReceiverType = NotificationChannel> {
  readonly channel: T;
  readonly to: readonly string[];
}

const RECIPIENT_PARAMS: Partial<Record<ActionName, readonly string[]>> = {
  "email.sendEmail": ["to", "cc", "bcc"],
  "notification.sendNotification": ["to"],
};

export function hasRecipients(action: ActionName): boolean {
  return RECIPIENT_PARAMS[action] !== undefined;
}

/**
 * Renders parameters whose recipients have places that a value could break out of: in a mail address a value is a part
 * of it; in a webhook's address it is one percent-encoded component. A lone template may be a whole address or list:
 * the caller decides about that.
 */
export function renderRecipients(action: ActionName, params: JsonObject, resolve: Resolve): RenderedParams {
  const channel = channelOf(action, renderData(params["channel"] ?? null, resolve));
  const entries: [string, JsonValue][] = [];
  for (const [name, value] of Object.entries(params)) {
    const isRecipient = RECIPIENT_PARAMS[action]?.includes(name) === true;
    for (const { at, text } of isRecipient ? textsOf(value) : []) {
      const message = checkValues(channel, text, resolve);
      if (message !== null) return { ok: false, path: [name, ...at].join("."), message };
    }
    const render = isRecipient && channel === "webhook" ? renderWebhook : renderData;
    entries.push([name, Array.isArray(value) ? value.map((one) => render(one, resolve)) : render(value, resolve)]);
  }
  return { ok: true, params: Object.fromEntries(entries) };
}

/** Written-out recipients that are not addresses of their channel. `path` is below the parameters. */
export function checkRecipients(action: ActionName, params: JsonObject): FieldError[] {
  const channel = channelOf(action, params["channel"]);
  const names = RECIPIENT_PARAMS[action] ?? [];
  return names.flatMap((name) => {
    const texts = textsOf(params[name]);
    // The contract refuses the others.
    const problems = texts.slice(0, ADDRESSES_MAX).flatMap(({ at, text }): FieldError[] => {
      const message = text.length > ADDRESSES_MAX_CHARS ? null : checkText(channel, text);
      return message === null ? [] : [{ path: [name, ...at].join("."), message }];
    });
    const isOne = channel === "email" || channel === null || texts.length <= 1;
    return isOne ? problems : [...problems, { path: name, message: ONE_RECIPIENT[channel] }];
  });
}

const ONE_RECIPIENT = {
  sms: "must be one number for the channel sms: use a step for each",
  webhook: "must be one address for the channel webhook: use a step for each",
} as const;

function channelOf(action: ActionName, channel: JsonValue | undefined): NotificationChannel | null {
  if (action === "email.sendEmail") return "email";
  return notificationChannelSchema.safeParse(channel).data ?? null;
}

function checkText(channel: NotificationChannel | null, text: string): string | null {
  const { segments, problems } = parseTemplate(text);
  if (problems.length > 0 || loneTemplate(text) !== null) return null;
  const written = segments.map((segment) => (segment.type === "text" ? segment.text : "x")).join("");
  switch (channel) {
    case "email":
      return checkMailAddresses(written);
    case "sms":
      return segments.some(({ type }) => type === "path") || parsePhoneNumber(written) !== null
        ? null
        : "must be a number with its country code, like +15005550006";
    case "webhook":
      return hasTemplateInHost(text) ? IN_HOST : checkWebhookAddress(written);
    case null:
      return null;
  }
}

function checkMailAddresses(text: string): string | null {
  // The contract refuses an empty text.
  if (text === "") return null;
  const addresses = splitAddresses(text);
  if (addresses.length === 0) return "is empty: write mail addresses like ada@example.com";
  const wrong = addresses.find((address) => parseMailbox(address) === null);
  if (wrong === undefined) return null;
  const shown = JSON.stringify(wrong.slice(0, 100));
  return `must be mail addresses like ada@example.com, and ${shown} is not one; write a template for a whole address alone, or as an entry of a list`;
}

/** The reason why a value would change the text around it; null when every value stays in its place. */
function checkValues(channel: NotificationChannel | null, text: string, resolve: Resolve): string | null {
  if (loneTemplate(text) !== null) return null;
  const values = parseTemplate(text).segments.filter((segment) => segment.type === "path");
  if (values.length === 0) return null;
  if (channel === "webhook") {
    if (hasTemplateInHost(text)) return IN_HOST;
    const isElsewhere = hasNewDotSegment(text, renderAddress(text, resolve));
    return isElsewhere ? "a value with . or .. as a segment would change the path: send another value" : null;
  }
  const breaking = values.find((template) => NOT_IN_MAIL_ADDRESS.test(textOf(evaluate(template, resolve))));
  if (channel !== "email" || breaking === undefined) return null;
  return `the value of ${breaking.source} has a character that would change the address (one of , ; < > " @, a space or a control character); write a template for a whole address alone, or as an entry of a list`;
}

/** Renders an address after the check of its values. */
function renderWebhook(address: JsonValue, resolve: Resolve): JsonValue {
  const isText = typeof address === "string" && loneTemplate(address) === null;
  return isText ? renderAddress(address, resolve) : renderData(address, resolve);
}

/** Before the first slash, question mark or hash after the scheme. URLs ignore line breaks and extra slashes. */
function hasTemplateInHost(text: string): boolean {
  const skeleton = parseTemplate(text)
    .segments.map((segment) => (segment.type === "text" ? segment.text.replaceAll(/[\t\r\n]/gu, "") : "\0"))
    .join("");
  // oxlint-disable-next-line no-control-regex
  return /^\s*(?:[a-z][a-z0-9+.-]*:)?[/\\]*[^/?#\\]*\0/iu.test(skeleton);
}

function textsOf(value: JsonValue | undefined): { at: string[]; text: string }[] {
  if (typeof value === "string") return [{ at: [], text: value }];
  if (!Array.isArray(value)) return [];
  return value.flatMap((text, index) => (typeof text === "string" ? [{ at: [String(index)], text }] : []));
}
