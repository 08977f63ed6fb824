import type { SmtpServer } from "../../schema/settings/notification.ts";
import { serviceReader } from "../../schema/settings/service.ts";
import type { ServiceReader } from "../../schema/settings/service.ts";

/** A channel's settings, or every missing or wrong one as a sentence. */
export type ChannelSettings<T> =
  | { readonly ok: true; readonly settings: T }
  | { readonly ok: false; readonly problems: readonly string[] };

export type MailTransport =
  | { readonly type: "smtp"; readonly server: SmtpServer }
  | { readonly type: "http"; readonly url: string; readonly key: string };

export type EmailSettings = NonNullable<ReturnType<typeof emailSettings>>;
export type SmsSettings = NonNullable<ReturnType<typeof smsSettings>>;
export type NotificationSettings = ReturnType<typeof notificationSettings>;

/** A channel with incomplete settings counts as not configured. */
export function notificationSettings(env: object) {
  const channel = <T>(settings: (reader: ServiceReader, problems: string[]) => T | null): ChannelSettings<T> => {
    const problems: string[] = [];
    const found = settings(serviceReader(env, problems), problems);
    if (found !== null && problems.length === 0) return { ok: true, settings: found };
    return { ok: false, problems: problems.map((problem) => `${problem}.`) };
  };
  const { text, read } = serviceReader(env, []);
  const [smtp, http] = [text("NOTIFY_SMTP_URL"), text("NOTIFY_EMAIL_API_URL")];
  const email = channel(emailSettings);
  const webhook = channel(webhookSettings);
  const [sid, token] = [text("NOTIFY_SMS_ACCOUNT_SID"), text("NOTIFY_SMS_AUTH_TOKEN")];
  const login = email.ok && email.settings.transport.type === "smtp" ? email.settings.transport.server.login : null;
  return {
    email,
    sms: channel(smsSettings),
    webhook,
    /** Whether webhooks, Slack's and Teams' addresses may be private ones. */
    allowPrivate: read("NOTIFY_WEBHOOK_ALLOW_PRIVATE"),
    /** The transport that is set, even when the channel is incomplete. */
    mailTransport: smtp !== null ? "smtp" : http !== null ? "http" : null,
    mailFrom: text("NOTIFY_EMAIL_FROM"),
    smsFrom: text("NOTIFY_SMS_FROM"),
    /** In every form in which the secrets travel, except encodings. */
    secrets: [
      smtp,
      login === null ? null : login.password,
      login === null ? null : `\0${login.user}\0${login.password}`,
      text("NOTIFY_EMAIL_API_KEY"),
      token,
      sid === null || token === null ? null : `${sid}:${token}`,
      text("NOTIFY_WEBHOOK_SECRET"),
      ...(webhook.ok ? webhook.settings.keys : []),
    ].filter((secret) => secret !== null),
  } as const;
}

/** NOTIFY_EMAIL_FROM, and either NOTIFY_SMTP_URL or NOTIFY_EMAIL_API_URL with its key. */
function emailSettings(reader: ServiceReader, problems: string[]) {
  const from = reader.need("NOTIFY_EMAIL_FROM");
  const transport = mailTransport(reader, problems);
  return from === null || transport === null ? null : { from, transport };
}

function mailTransport({ read, need, text }: ServiceReader, problems: string[]): MailTransport | null {
  const isHttp = text("NOTIFY_EMAIL_API_URL") !== null;
  if (isHttp && text("NOTIFY_SMTP_URL") !== null) {
    problems.push("NOTIFY_SMTP_URL and NOTIFY_EMAIL_API_URL are both set: unset the one that is not to be used");
    return null;
  }
  if (!isHttp) {
    const server = need("NOTIFY_SMTP_URL");
    return server === null ? null : { type: "smtp", server };
  }
  const [url, key] = [read("NOTIFY_EMAIL_API_URL"), need("NOTIFY_EMAIL_API_KEY")];
  return url === null || key === null ? null : { type: "http", url, key };
}

/** Twilio's API, or a compatible one. */
function smsSettings({ read, need }: ServiceReader) {
  const apiUrl = read("NOTIFY_SMS_API_URL");
  const accountSid = need("NOTIFY_SMS_ACCOUNT_SID");
  const authToken = need("NOTIFY_SMS_AUTH_TOKEN");
  const from = need("NOTIFY_SMS_FROM");
  if (accountSid === null || authToken === null || from === null) return null;
  return { apiUrl, accountSid, authToken, from };
}

/** `keys` has more than one key while the key is being changed. */
function webhookSettings({ read, need }: ServiceReader) {
  const keys = need("NOTIFY_WEBHOOK_SECRET");
  read("NOTIFY_WEBHOOK_ALLOW_PRIVATE");
  return keys === null ? null : { keys };
}
