import type { NotificationChannel } from "../../../schema/contract/notification.ts";
import {
  setEmailChannelSchema,
  setSmsChannelSchema,
  setWebhookChannelSchema,
} from "../../../schema/contract/notification-channel.ts";
import type { StoredChannel } from "../../../schema/contract/notification-channel.ts";
import { parseApiAddress, parseWebhookSecrets } from "../../../schema/settings/notification.ts";
import type { ChannelSecrets } from "../notifications/index.ts";
import { invalidInput, parseInput } from "../parse.ts";

/** A body as what is stored. */
export interface ChannelInput {
  readonly settings: StoredChannel;
  /** The secrets in the body. */
  readonly secrets: ChannelSecrets;
  /** The secret without which the channel cannot be used, and its path in the body. */
  readonly needed: { readonly name: "password" | "key" | "authToken"; readonly path: string } | null;
  readonly keepsFormer: boolean;
  /** The path of the server's address. */
  readonly serverPath: string;
}

/** Throws `invalid_request` with every problem and its path. */
export function readInput(channel: NotificationChannel, input: unknown): ChannelInput {
  return READ[channel](input);
}

const READ = { email, sms, webhook } as const satisfies Record<NotificationChannel, (input: unknown) => ChannelInput>;

function email(input: unknown): ChannelInput {
  const { from, smtp, http } = parseInput(setEmailChannelSchema, input);
  if (smtp === undefined) {
    const settings = { from, http: { url: addressOf(http?.url) } };
    return {
      settings,
      secrets: http?.key === undefined ? {} : { key: http.key },
      needed: { name: "key", path: "http.key" },
      keepsFormer: false,
      serverPath: "http.url",
    };
  }
  const { password, ...server } = smtp;
  return {
    settings: { from, smtp: { ...server, host: hostOf(smtp.host) } },
    secrets: password === undefined ? {} : { password },
    needed: smtp.user === undefined ? null : { name: "password", path: "smtp.password" },
    keepsFormer: false,
    serverPath: "smtp.host",
  };
}

function sms(input: unknown): ChannelInput {
  const { authToken, apiUrl, ...settings } = parseInput(setSmsChannelSchema, input);
  return {
    settings: { ...settings, ...(apiUrl === undefined ? {} : { apiUrl: addressOf(apiUrl) }) },
    secrets: authToken === undefined ? {} : { authToken },
    needed: { name: "authToken", path: "authToken" },
    keepsFormer: false,
    serverPath: "apiUrl",
  };
}

function webhook(input: unknown): ChannelInput {
  const { secret, keepFormer } = parseInput(setWebhookChannelSchema, input);
  const parsed = parseWebhookSecrets(secret);
  const keys = "value" in parsed ? parsed.value : [];
  return { settings: {}, secrets: { keys }, needed: null, keepsFormer: keepFormer, serverPath: "" };
}

/** The schema has parsed it. */
function addressOf(text: string | undefined): string {
  const parsed = parseApiAddress(text ?? "");
  return "value" in parsed ? parsed.value : "";
}

/** As URL gives it: addresses in other notations normalised, without brackets. */
function hostOf(text: string): string {
  const host = URL.parse(`https://${text.includes(":") ? `[${text}]` : text}/`)?.hostname;
  if (host === undefined) throw invalidInput([{ path: "smtp.host", message: "must be a host name or an IP address" }]);
  return host.replace(/^\[(.*)\]$/u, "$1");
}
