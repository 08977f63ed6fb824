import { z } from "zod";
import { parseMailbox } from "../../../schema/contract/mail-address.ts";
import type { NotificationChannel } from "../../../schema/contract/notification.ts";
import type { StoredChannel } from "../../../schema/contract/notification-channel.ts";
import { SMS_API_URL_DEFAULT } from "../../../schema/settings/notification.ts";
import type { NotificationChannelRow } from "../../store/notification-channels.ts";
import type {
  ChannelSettings,
  EmailSettings,
  MailTransport,
  SmsSettings,
  WebhookSettings,
} from "../notification-settings.ts";
import { openText, sealText } from "../sealed-text.ts";
import { isPrivateHost } from "./webhook-target.ts";

const secretsSchema = z.object({
  password: z.string().optional(),
  key: z.string().optional(),
  authToken: z.string().optional(),
  /** The newest first, in base64. */
  keys: z.array(z.string()).optional(),
});
export type ChannelSecrets = z.infer<typeof secretsSchema>;

/** The server that gets the secrets. They are sealed for it: moved to the settings of another one, they cannot be opened. */
export function destinationOf({ smtp, http, accountSid, apiUrl }: StoredChannel): string {
  if (smtp !== undefined) return `smtp://${smtp.host}:${smtp.port}`;
  if (http !== undefined) return http.url;
  return accountSid === undefined ? "" : (apiUrl ?? SMS_API_URL_DEFAULT);
}

type Place = Pick<NotificationChannelRow, "channel" | "settings">;

export function sealSecrets(serverSecret: string, place: Place, secrets: ChannelSecrets): Promise<string> {
  return sealText(serverSecret, placeOf(place), JSON.stringify(secrets));
}

/** Null when another BELLHOP_SECRET sealed them. */
export async function openSecrets(serverSecret: string, row: NotificationChannelRow): Promise<ChannelSecrets | null> {
  if (row.sealedSecrets === null) return {};
  const text = await openText(serverSecret, placeOf(row), row.sealedSecrets);
  return text === null ? null : secretsSchema.parse(JSON.parse(text));
}

/** Why a server may not be used; null when it may. The check is of its address alone, as that of a webhook's. */
export function refusedServer(settings: StoredChannel, allowPrivate: boolean): string | null {
  const destination = destinationOf(settings);
  const host = settings.smtp?.host ?? (destination === "" ? null : new URL(destination).hostname);
  if (host === null || allowPrivate || !isPrivateHost(host)) return null;
  return `${host} is an address of this machine or of a private network. If the service may connect to it, set NOTIFY_WEBHOOK_ALLOW_PRIVATE to true`;
}

/** Turns a row into the settings that senders use. `T` is the settings of the row's channel. */
async function openedAs<T>(
  { serverSecret, allowPrivate }: Opening,
  row: NotificationChannelRow,
  read: (settings: StoredChannel, secrets: ChannelSecrets) => T | null,
): Promise<ChannelSettings<T>> {
  const refused = refusedServer(row.settings, allowPrivate);
  if (refused !== null) return { ok: false, problems: [`${refused}.`] };
  const secrets = await openSecrets(serverSecret, row);
  const settings = secrets === null ? null : read(row.settings, secrets);
  return settings === null ? { ok: false, problems: [UNREADABLE] } : { ok: true, settings };
}

export interface Opening {
  readonly serverSecret: string;
  readonly allowPrivate: boolean;
}

const UNREADABLE =
  "The stored secret was encrypted under another BELLHOP_SECRET. Enter the secret again under Settings → Notifications, or remove the stored settings.";

/** The stored channels, each with its settings or the reason why they cannot be used. */
export async function openChannels(opening: Opening, rows: readonly NotificationChannelRow[]) {
  const of = async <T>(channel: NotificationChannel, read: Parameters<typeof openedAs<T>>[2]) => {
    const row = rows.find((one) => one.channel === channel);
    return row === undefined ? undefined : openedAs(opening, row, read);
  };
  const [email, sms, webhook] = [await of("email", emailOf), await of("sms", smsOf), await of("webhook", webhookOf)];
  return {
    ...(email === undefined ? {} : { email }),
    ...(sms === undefined ? {} : { sms }),
    ...(webhook === undefined ? {} : { webhook }),
  };
}

function emailOf(settings: StoredChannel, secrets: ChannelSecrets): EmailSettings | null {
  const from = parseMailbox(settings.from ?? "");
  const transport = transportOf(settings, secrets);
  return from === null || transport === null ? null : { from, transport };
}

function transportOf({ smtp, http }: StoredChannel, { password, key }: ChannelSecrets): MailTransport | null {
  if (http !== undefined) return key === undefined ? null : { type: "http", url: http.url, key };
  if (smtp === undefined) return null;
  const { user, host, port, security } = smtp;
  if (user !== undefined && password === undefined) return null;
  const login = user === undefined || password === undefined ? null : { user, password };
  return { type: "smtp", server: { host, port, security, login } };
}

function smsOf({ accountSid, apiUrl, from }: StoredChannel, { authToken }: ChannelSecrets): SmsSettings | null {
  if (accountSid === undefined || from === undefined || authToken === undefined) return null;
  return { apiUrl: apiUrl ?? SMS_API_URL_DEFAULT, accountSid, authToken, from };
}

function webhookOf(_settings: StoredChannel, { keys }: ChannelSecrets): WebhookSettings | null {
  return keys === undefined || keys.length === 0 ? null : { keys };
}

/** With the encryption and the login of a mail server, so that a changed row does not send the password in plain text. */
function placeOf({ channel, settings }: Place): string {
  const { smtp } = settings;
  const login = smtp === undefined ? [] : [smtp.security, smtp.user ?? ""];
  return ["notification-channel", channel, destinationOf(settings), ...login].join(":");
}
