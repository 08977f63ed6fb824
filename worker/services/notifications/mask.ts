import { parseWebhookSecrets } from "../../domain/notification/webhook-signature.ts";
import type { Env } from "../../env.ts";
import { emailSettings } from "./email-settings.ts";
import { settingOf } from "./setting.ts";

const MASK = "***";
const MIN_CHARS = 4;
/** What is kept of anything that another side said. */
const DETAIL_MAX_BYTES = 2_000;

/** What makes a text fit to be shown: without the channels' secrets in any form that they travel in, and not too long. */
export type Mask = (text: string) => string;

export function createMask(env: Env): Mask {
  const forms = [...new Set(secretsOf(env).flatMap(formsOf))]
    .filter((form) => form.length >= MIN_CHARS)
    .sort((a, b) => b.length - a.length);
  return (text) => {
    let masked = text;
    for (const form of forms) masked = masked.replaceAll(form, MASK);
    const line = masked
      .replaceAll(/\p{Cc}+/gu, " ")
      .trim()
      .toWellFormed();
    const { read } = new TextEncoder().encodeInto(line, new Uint8Array(DETAIL_MAX_BYTES));
    return read === line.length ? line : `${line.slice(0, read)}…`;
  };
}

function secretsOf(env: Env): string[] {
  const email = emailSettings(env);
  const login = email.ok && email.settings.transport.type === "smtp" ? email.settings.transport.server.login : null;
  const sid = settingOf(env, "NOTIFY_SMS_ACCOUNT_SID");
  const token = settingOf(env, "NOTIFY_SMS_AUTH_TOKEN");
  const webhook = settingOf(env, "NOTIFY_WEBHOOK_SECRET");
  return [
    settingOf(env, "NOTIFY_SMTP_URL"),
    login === null ? null : login.password,
    login === null ? null : `\0${login.user}\0${login.password}`,
    settingOf(env, "NOTIFY_EMAIL_API_KEY"),
    token,
    sid === null || token === null ? null : `${sid}:${token}`,
    webhook,
    ...(webhook === null ? [] : (parseWebhookSecrets(webhook) ?? [])),
  ].flatMap((secret) => (secret === null ? [] : [secret]));
}

function formsOf(secret: string): string[] {
  const escaped = JSON.stringify(secret).slice(1, -1);
  return [secret, escaped, encodeURIComponent(secret), Buffer.from(secret, "utf8").toString("base64")];
}
