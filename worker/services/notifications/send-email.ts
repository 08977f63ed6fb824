import { z } from "zod";
import type { NotificationParams } from "../../../schema/contract/notification.ts";
import { domainOf, parseMailbox, splitAddresses } from "../../../schema/contract/mail-address.ts";
import type { Mailbox } from "../../../schema/contract/mail-address.ts";
import { composeMail } from "../../domain/notification/mail-message.ts";
import type { MailMessage } from "../../domain/notification/mail-message.ts";
import type { ChannelAnswer } from "../../domain/notification/answer.ts";
import type { EmailSettings, NotificationSettings } from "../notification-settings.ts";
import { invalidParams, notConfigured } from "./prepared.ts";
import type { AttemptControl, MessageOrigin, Prepared } from "./prepared.ts";
import { exchange, jsonOf, reasonOf, refusedBy } from "./http-exchange.ts";
import type { HttpAnswer } from "./http-exchange.ts";
import { createMask } from "./mask.ts";

const MAX_RECIPIENTS = 100;
const DEFAULT_SUBJECT = "Notification from Bellhop";

/** Plain text by a mail server or a provider's HTTP API. Every attempt has the same Message-ID. */
export function prepareEmail(
  channels: NotificationSettings,
  { id, at }: MessageOrigin,
  { to, subject, message }: Omit<NotificationParams, "channel">,
): Prepared {
  const configured = channels.email;
  if (!configured.ok) return notConfigured("email", configured.problems);
  const texts = (Array.isArray(to) ? to : [to]).flatMap(splitAddresses);
  const recipients = texts.map(parseMailbox);
  const wrong = texts.filter((_, index) => recipients[index] === null);
  if (texts.length === 0 || wrong.length > 0) {
    const which =
      wrong.length === 0
        ? "it is empty"
        : `${wrong
            .slice(0, 5)
            .map((text) => JSON.stringify(text))
            .join(", ")}`;
    return invalidParams(
      `For the channel email, "to" must be mail addresses like ada@example.com, but ${which} is not.`,
    );
  }
  const unique = uniqueOf(recipients.flatMap((mailbox) => (mailbox === null ? [] : [mailbox])));
  if (unique.length > MAX_RECIPIENTS) {
    return invalidParams(
      `There are ${unique.length} recipients, and a message has at most ${MAX_RECIPIENTS}: use the address of a mailing list.`,
    );
  }
  const { from } = configured.settings;
  const mail: MailMessage = {
    from,
    to: unique,
    subject: subject === undefined || subject.trim() === "" ? DEFAULT_SUBJECT : subject,
    text: message,
    messageId: `${id}@${domainOf(from.address)}`,
    date: at,
  };
  const send = senderOf(channels, configured.settings, mail, id);
  return { ok: true, delivery: { target: { channel: "email", to: unique.map(({ address }) => address) }, send } };
}

function senderOf(channels: NotificationSettings, { transport }: EmailSettings, mail: MailMessage, id: string) {
  return async (finished: ReadonlySet<string>, attempt: AttemptControl): Promise<ChannelAnswer> => {
    if (transport.type === "http") return sendByHttp(channels, transport, mail, id, attempt.signal);
    // Imported here: only senders of mail need to evaluate nodemailer's modules.
    const { sendBySmtp } = await import("./smtp.ts");
    const envelope = {
      from: mail.from.address,
      to: mail.to.map(({ address }) => address).filter((address) => !finished.has(address)),
    };
    return sendBySmtp(
      transport.server,
      { envelope, message: composeMail(mail), messageId: `<${mail.messageId}>`, name: domainOf(mail.from.address) },
      { ...attempt, mask: createMask(channels) },
    );
  };
}

const acceptedSchema = z.object({ id: z.string().max(512) });

/**
 * `POST {from, to, subject, text}` with the key as a bearer token and the node run's id as `Idempotency-Key`: Resend
 * takes it, and other providers do with a small adapter. The answer's `id` is the provider's.
 */
async function sendByHttp(
  channels: NotificationSettings,
  { url, key }: { url: string; key: string },
  mail: MailMessage,
  id: string,
  signal: AbortSignal,
): Promise<ChannelAnswer> {
  const body = JSON.stringify({
    from: shownAddress(mail.from),
    to: mail.to.map(shownAddress),
    subject: mail.subject,
    text: mail.text,
  });
  const headers = { Authorization: `Bearer ${key}`, "Content-Type": "application/json", "Idempotency-Key": id };
  let answer: HttpAnswer;
  try {
    answer = await exchange({ method: "POST", url, headers, body }, signal);
  } catch (error) {
    return { type: "unknown", detail: reasonOf(error) };
  }
  const mask = createMask(channels);
  if (answer.status < 200 || answer.status > 299) return refusedBy(answer, mask);
  const accepted = acceptedSchema.safeParse(jsonOf(answer.text));
  const messageId = accepted.success ? mask(accepted.data.id) : null;
  return { type: "accepted", statusCode: answer.status, detail: mask(answer.text), messageId };
}

function uniqueOf(mailboxes: readonly Mailbox[]): Mailbox[] {
  return [...new Map(mailboxes.map((mailbox) => [mailbox.address.toLowerCase(), mailbox])).values()];
}

function shownAddress({ name, address }: Mailbox): string {
  return name === null ? address : `"${name.replaceAll(/["\\]/gu, "\\$&")}" <${address}>`;
}
