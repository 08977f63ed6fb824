import { z } from "zod";
import type { NotificationParams } from "../../../schema/contract/notification.ts";
import type { ChannelAnswer } from "../../domain/notification/answer.ts";
import { isMessagingService, parsePhoneNumber } from "../../domain/notification/phone-number.ts";
import type { NotificationSettings, SmsSettings } from "../notification-settings.ts";
import { invalidParams, notConfigured } from "./prepared.ts";
import type { AttemptControl, MessageOrigin, Prepared } from "./prepared.ts";
import { exchange, jsonOf, neverArrived, reasonOf, refusedBy } from "./http-exchange.ts";
import type { HttpAnswer } from "./http-exchange.ts";
import { createMask } from "./mask.ts";

/** Twilio's limit for one message, which it sends in several parts. */
export const SMS_MAX_CHARS = 1_600;

export function prepareSms(
  channels: NotificationSettings,
  _origin: MessageOrigin,
  { to, subject, message }: Omit<NotificationParams, "channel">,
): Prepared {
  const configured = channels.sms;
  if (!configured.ok) return notConfigured("sms", configured.problems);
  const [first, ...others] = Array.isArray(to) ? to : [to];
  const number = first === undefined || others.length > 0 ? null : parsePhoneNumber(first);
  if (number === null) {
    return invalidParams('For the channel sms, "to" must be one number with its country code, like +15005550006.');
  }
  const text = [subject, message].filter((part) => part !== undefined && part !== "").join("\n");
  if (text === "") return invalidParams("A text message cannot be empty: write a message.");
  if (text.length > SMS_MAX_CHARS) {
    const much = `It has ${text.length} characters with its subject, and a text message holds at most ${SMS_MAX_CHARS}.`;
    return invalidParams(`The message is too long. ${much} Write less, or use another channel.`);
  }
  const send = (attempt: AttemptControl) => sendOnce(channels, configured.settings, { number, text }, attempt);
  return {
    ok: true,
    delivery: { target: { channel: "sms", to: [number] }, send: (_settled, attempt) => send(attempt) },
  };
}

async function sendOnce(
  channels: NotificationSettings,
  settings: SmsSettings,
  { number, text }: { number: string; text: string },
  { signal, noteHandover }: AttemptControl,
): Promise<ChannelAnswer> {
  const account = `${settings.apiUrl.replace(/\/$/u, "")}/2010-04-01/Accounts/${settings.accountSid}`;
  const login = Buffer.from(`${settings.accountSid}:${settings.authToken}`, "utf8").toString("base64");
  const headers = { Authorization: `Basic ${login}`, Accept: "application/json" };
  const unreachable = await probe(`${account}.json`, headers, signal);
  if (unreachable !== null) return { type: "unreachable", detail: unreachable };
  const sender = isMessagingService(settings.from) ? "MessagingServiceSid" : "From";
  const body = new URLSearchParams({ To: number, [sender]: settings.from, Body: text }).toString();
  const form = { ...headers, "Content-Type": "application/x-www-form-urlencoded" };
  let answer: HttpAnswer;
  await noteHandover();
  try {
    answer = await exchange({ method: "POST", url: `${account}/Messages.json`, headers: form, body }, signal);
  } catch (error) {
    return { type: "unknown", detail: reasonOf(error) };
  }
  const mask = createMask(channels);
  if (neverArrived(answer.status)) return { type: "unreachable", detail: `The network answered ${answer.status}.` };
  if (answer.status < 200 || answer.status > 299) {
    const error = errorSchema.safeParse(jsonOf(answer.text));
    if (!error.success) return refusedBy(answer, mask);
    const { code, message } = error.data;
    return { ...refusedBy(answer, mask, `error ${code}: ${message}`), providerError: true };
  }
  const sid = sidOf(answer.text);
  const detail = sid === null ? mask(answer.text) : `The provider took it as ${sid}.`;
  return { type: "accepted", statusCode: answer.status, detail, messageId: sid };
}

/**
 * The reason why the provider cannot be reached; null when it answers with any status. When a POST fails, the platform
 * does not say whether it was sent. This harmless request comes first, so that a provider that is plainly away can be
 * tried again.
 */
async function probe(url: string, headers: Record<string, string>, signal: AbortSignal): Promise<string | null> {
  try {
    const { status } = await exchange({ method: "GET", url, headers }, signal);
    return neverArrived(status) ? `The network answered ${status}.` : null;
  } catch (error) {
    return reasonOf(error);
  }
}

/** Twilio's own code is more precise than the HTTP status. */
const errorSchema = z.object({ code: z.int(), message: z.string() });
const messageSchema = z.object({ sid: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/u) });

function sidOf(text: string): string | null {
  const message = messageSchema.safeParse(jsonOf(text));
  return message.success ? message.data.sid : null;
}
