import { createHmac } from "node:crypto";
import type { NotificationParams, WebhookNotification } from "../../../schema/contract/notification.ts";
import { signatureHeader, signingInput } from "../../domain/notification/webhook-signature.ts";
import type { NotificationSettings } from "../notification-settings.ts";
import { postTo } from "./post-to.ts";
import { invalidParams, notConfigured } from "./prepared.ts";
import type { MessageOrigin, Prepared } from "./prepared.ts";
import { checkWebhookTarget } from "./webhook-target.ts";

const SECOND_MS = 1_000;

/** A POST signed as Standard Webhooks describes. Every attempt has the same `webhook-id`. */
export function prepareWebhook(
  channels: NotificationSettings,
  origin: MessageOrigin,
  { to, subject, message }: Omit<NotificationParams, "channel">,
): Prepared {
  const configured = channels.webhook;
  if (!configured.ok) return notConfigured("webhook", configured.problems);
  const { keys } = configured.settings;
  const [address, ...others] = Array.isArray(to) ? to : [to];
  if (address === undefined || others.length > 0) {
    return invalidParams('A webhook notification goes to one address: give "to" one, and use a node for each.');
  }
  const target = checkWebhookTarget(address, channels.allowPrivate);
  if (!target.ok) return { ok: false, failure: { code: target.code, message: target.message } };
  const id = `msg_${origin.id}`;
  const body = JSON.stringify(bodyOf(origin, subject, message));
  return {
    ok: true,
    delivery: {
      target: { channel: "webhook", to: [target.shown] },
      send: async (_settled, { signal }) => {
        const timestamp = Math.floor(Date.now() / SECOND_MS);
        const signatures = keys.map((key) => sign(key, signingInput(id, timestamp, body)));
        const headers = {
          "Content-Type": "application/json",
          "User-Agent": "Bellhop",
          "webhook-id": id,
          "webhook-timestamp": String(timestamp),
          "webhook-signature": signatureHeader(signatures),
        };
        return postTo(channels, { url: target.url, headers, body }, id, signal);
      },
    },
  };
}

function bodyOf(origin: MessageOrigin, subject: string | undefined, message: string): WebhookNotification {
  const { executionId, workflowId, nodeRunId, at, url } = origin;
  const more = { ...(subject === undefined ? {} : { subject }), ...(url === null ? {} : { url }) };
  return {
    type: "bellhop.notification",
    timestamp: new Date(at).toISOString(),
    data: { message, ...more, executionId, workflowId, nodeRunId },
  };
}

function sign(keyBase64: string, input: string): string {
  return createHmac("sha256", Buffer.from(keyBase64, "base64")).update(input, "utf8").digest("base64");
}
