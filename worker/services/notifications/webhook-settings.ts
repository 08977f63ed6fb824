import { parseWebhookSecrets } from "../../domain/notification/webhook-signature.ts";
import type { Env } from "../../env.ts";
import { notSet, settingOf } from "./setting.ts";
import type { ChannelSettings } from "./setting.ts";

export interface WebhookSettings {
  /** Base64, as many as are in use during a change. */
  readonly keys: readonly string[];
  /** Whether addresses of this machine and of private networks may be called. */
  readonly allowPrivate: boolean;
}

export function webhookSettings(env: Env): ChannelSettings<WebhookSettings> {
  const problems: string[] = [];
  const secret = settingOf(env, "NOTIFY_WEBHOOK_SECRET");
  const keys = secret === null ? null : parseWebhookSecrets(secret);
  if (secret === null) {
    problems.push(notSet("NOTIFY_WEBHOOK_SECRET", "whsec_ and 24 to 64 random bytes in base64"));
  } else if (keys === null) {
    problems.push(
      "NOTIFY_WEBHOOK_SECRET must be whsec_ and 24 to 64 bytes in base64; several, for a change, are separated by spaces.",
    );
  }
  const allow = settingOf(env, "NOTIFY_WEBHOOK_ALLOW_PRIVATE") ?? "false";
  if (allow !== "true" && allow !== "false") problems.push("NOTIFY_WEBHOOK_ALLOW_PRIVATE must be true or false.");
  if (keys === null || problems.length > 0) return { ok: false, problems };
  return { ok: true, settings: { keys, allowPrivate: allow === "true" } };
}
