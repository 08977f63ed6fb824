import { isLoopback } from "../../../schema/contract/loopback.ts";
import type { Mailbox } from "../../../schema/contract/mail-address.ts";
import { parseMailbox } from "../../../schema/contract/mail-address.ts";
import type { Env } from "../../env.ts";
import { httpUrl, notSet, parsedUrl, settingOf } from "./setting.ts";
import type { ChannelSettings } from "./setting.ts";

/** How a mail server is reached; `none` only on this machine. */
export interface SmtpServer {
  readonly host: string;
  readonly port: number;
  readonly security: "tls" | "starttls" | "none";
  readonly login: { readonly user: string; readonly password: string } | null;
}

export type MailTransport =
  | { readonly type: "smtp"; readonly server: SmtpServer }
  | { readonly type: "http"; readonly url: string; readonly key: string };

export interface EmailSettings {
  readonly from: Mailbox;
  readonly transport: MailTransport;
}

/** NOTIFY_EMAIL_FROM, and either NOTIFY_SMTP_URL or NOTIFY_EMAIL_API_URL with its key. */
export function emailSettings(env: Env): ChannelSettings<EmailSettings> {
  const problems: string[] = [];
  const from = senderOf(env, problems);
  const transport = transportOf(env, problems);
  if (from === null || transport === null || problems.length > 0) return { ok: false, problems };
  return { ok: true, settings: { from, transport } };
}

/** What carries mail as it is set now, whether or not all of it is. */
export function mailTransportType(env: Env): MailTransport["type"] | null {
  if (settingOf(env, "NOTIFY_SMTP_URL") !== null) return "smtp";
  return settingOf(env, "NOTIFY_EMAIL_API_URL") === null ? null : "http";
}

function senderOf(env: Env, problems: string[]): Mailbox | null {
  const text = settingOf(env, "NOTIFY_EMAIL_FROM");
  const mailbox = text === null ? null : parseMailbox(text);
  if (text === null) problems.push(notSet("NOTIFY_EMAIL_FROM", "the address that messages come from"));
  else if (mailbox === null) {
    problems.push('NOTIFY_EMAIL_FROM is no mail address: give it like "Bellhop <alerts@example.com>".');
  }
  return mailbox;
}

function transportOf(env: Env, problems: string[]): MailTransport | null {
  const smtp = settingOf(env, "NOTIFY_SMTP_URL");
  const http = settingOf(env, "NOTIFY_EMAIL_API_URL");
  if (smtp !== null && http !== null) {
    problems.push("NOTIFY_SMTP_URL and NOTIFY_EMAIL_API_URL are both set: unset the one that is not to be used.");
    return null;
  }
  if (http !== null) return httpTransport(env, http, problems);
  if (smtp === null) {
    const what =
      "the mail server, like smtp://user:password@mail.example.com:587 (or set NOTIFY_EMAIL_API_URL instead)";
    problems.push(notSet("NOTIFY_SMTP_URL", what));
    return null;
  }
  const server = smtpServer(smtp);
  if (typeof server === "string") problems.push(server);
  return typeof server === "string" ? null : { type: "smtp", server };
}

function httpTransport(env: Env, address: string, problems: string[]): MailTransport | null {
  const url = httpUrl("NOTIFY_EMAIL_API_URL", address, problems);
  const key = settingOf(env, "NOTIFY_EMAIL_API_KEY");
  if (key === null) problems.push(notSet("NOTIFY_EMAIL_API_KEY", "the key of the mail provider's API"));
  return url === null || key === null ? null : { type: "http", url, key };
}

/** `?starttls=required` asks for encryption on this machine, too. A sentence when the address is none. */
function smtpServer(address: string): SmtpServer | string {
  const url = parsedUrl(address);
  if (url === null || !["smtp:", "smtps:"].includes(url.protocol) || url.hostname === "") {
    return "NOTIFY_SMTP_URL is no address of a mail server: give it like smtp://user:password@mail.example.com:587.";
  }
  const [user, password] = [decoded(url.username), decoded(url.password)];
  if (user === null || password === null || (user === "") !== (password === "")) {
    return "NOTIFY_SMTP_URL must have user and password, or neither; write special characters in them as %40 for @.";
  }
  const host = url.hostname.replace(/^\[(.*)\]$/u, "$1");
  const tls = url.protocol === "smtps:";
  const wanted = url.searchParams.get("starttls") === "required" || !isLoopback(host);
  return {
    host,
    port: url.port === "" ? (tls ? 465 : 587) : Number(url.port),
    security: tls ? "tls" : wanted ? "starttls" : "none",
    login: user === "" ? null : { user, password },
  };
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
