import type { z } from "zod";
import type { NotificationChannel } from "../../../../schema/contract/notification.ts";
import type {
  NotificationChannelView,
  setNotificationChannelSchema,
} from "../../../../schema/contract/notification-channel.ts";

export type Security = "tls" | "starttls" | "none";

/** What the form of a channel holds. Each channel uses some of it. */
export interface ChannelDraft {
  readonly from: string;
  readonly way: "smtp" | "http";
  readonly host: string;
  readonly port: number;
  readonly security: Security;
  readonly user: string;
  readonly url: string;
  readonly accountSid: string;
  /** The password, the key, the token or the signing secret; empty to keep the saved one. */
  readonly secret: string;
  readonly keepFormer: boolean;
}

export function draftOf({ channel, stored, from }: NotificationChannelView): ChannelDraft {
  const { smtp, http, accountSid, apiUrl } = stored ?? {};
  return {
    from: from ?? "",
    way: http === undefined ? "smtp" : "http",
    host: smtp?.host ?? "",
    port: smtp?.port ?? 587,
    security: smtp?.security ?? "starttls",
    user: smtp?.user ?? "",
    url: (channel === "sms" ? apiUrl : http?.url) ?? "",
    accountSid: accountSid ?? "",
    secret: "",
    keepFormer: false,
  };
}

/** The fields of a channel's form, by their paths in the API. */
export function fieldsOf(channel: NotificationChannel, draft: ChannelDraft): Record<string, unknown> {
  const { from, way, host, port, security, user, url, accountSid, secret, keepFormer } = draft;
  if (channel === "webhook") return { secret, keepFormer };
  if (channel === "sms") return { from, accountSid, authToken: secret, apiUrl: url };
  if (way === "http") return { from, "http.url": url, "http.key": secret };
  return {
    from,
    "smtp.host": host,
    "smtp.port": port,
    "smtp.security": security,
    "smtp.user": user,
    "smtp.password": secret,
  };
}

export function bodyOf(
  channel: NotificationChannel,
  draft: ChannelDraft,
): z.input<typeof setNotificationChannelSchema> {
  const { from, way, host, port, security, user, url, accountSid, secret, keepFormer } = draft;
  if (channel === "webhook") return { secret, keepFormer };
  if (channel === "sms") {
    const server = url.trim() === "" ? {} : { apiUrl: url.trim() };
    return { from, accountSid, ...server, ...(secret === "" ? {} : { authToken: secret }) };
  }
  if (way === "http") return { from, http: { url, ...(secret === "" ? {} : { key: secret }) } };
  const login = { ...(user === "" ? {} : { user }), ...(secret === "" ? {} : { password: secret }) };
  return { from, smtp: { host, port, security, ...login } };
}
