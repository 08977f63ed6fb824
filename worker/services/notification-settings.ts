import type { NotificationChannel } from "../../schema/contract/notification.ts";
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
export type WebhookSettings = NonNullable<ReturnType<typeof webhookSettings>>;

/** The settings by which messages are sent, and what must be masked in answers to them. */
export interface NotificationSettings {
  readonly email: ChannelSettings<EmailSettings>;
  readonly sms: ChannelSettings<SmsSettings>;
  readonly webhook: ChannelSettings<WebhookSettings>;
  /** Whether webhooks, and what is set up in the console, may be at private addresses. */
  readonly allowPrivate: boolean;
  /** In every form in which the secrets travel, except encodings. */
  readonly secrets: readonly string[];
}

/** The channels that the environment sets up. One with incomplete settings counts as not configured. */
export function channelsOfEnvironment(env: object) {
  const channel = <T>(settings: (reader: ServiceReader, problems: string[]) => T | null): ChannelSettings<T> => {
    const problems: string[] = [];
    const found = settings(serviceReader(env, problems), problems);
    if (found !== null && problems.length === 0) return { ok: true, settings: found };
    return { ok: false, problems: problems.map((problem) => `${problem}.`) };
  };
  const { text, read } = serviceReader(env, []);
  const [smtp, http] = [text("NOTIFY_SMTP_URL"), text("NOTIFY_EMAIL_API_URL")];
  const [sid, token, secret] = [
    text("NOTIFY_SMS_ACCOUNT_SID"),
    text("NOTIFY_SMS_AUTH_TOKEN"),
    text("NOTIFY_WEBHOOK_SECRET"),
  ];
  const channels = { email: channel(emailSettings), sms: channel(smsSettings), webhook: channel(webhookSettings) };
  const texts = [
    smtp,
    text("NOTIFY_EMAIL_API_KEY"),
    token,
    sid === null || token === null ? null : `${sid}:${token}`,
    secret,
  ];
  return {
    ...channels,
    allowPrivate: read("NOTIFY_WEBHOOK_ALLOW_PRIVATE"),
    secrets: [...texts.filter((one) => one !== null), ...secretsOf(channels)],
    /** The transport that is set, even when the channel is incomplete. */
    mailTransport: smtp !== null ? "smtp" : http !== null ? "http" : null,
    mailFrom: text("NOTIFY_EMAIL_FROM"),
    smsFrom: text("NOTIFY_SMS_FROM"),
    /** The channels for which anything is set. */
    given: {
      email: [smtp, http, text("NOTIFY_EMAIL_FROM"), text("NOTIFY_EMAIL_API_KEY")].some((one) => one !== null),
      sms: [sid, token, text("NOTIFY_SMS_FROM")].some((one) => one !== null),
      webhook: secret !== null,
    },
  } as const;
}
export type ChannelsOfEnvironment = ReturnType<typeof channelsOfEnvironment>;

/** The secrets of channels in every form in which they travel. */
export function secretsOf({ email, sms, webhook }: Partial<Pick<NotificationSettings, NotificationChannel>>): string[] {
  const transport = email?.ok === true ? email.settings.transport : null;
  const login = transport?.type === "smtp" ? transport.server.login : null;
  return [
    ...(transport?.type === "http" ? [transport.key] : []),
    ...(login === null ? [] : [login.password, `\0${login.user}\0${login.password}`]),
    ...(sms?.ok === true ? [sms.settings.authToken, `${sms.settings.accountSid}:${sms.settings.authToken}`] : []),
    ...(webhook?.ok === true ? webhook.settings.keys : []),
  ];
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
