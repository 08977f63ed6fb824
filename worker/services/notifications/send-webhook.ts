import { createHmac } from "node:crypto";
import type { NotificationParams, WebhookNotification } from "../../../schema/contract/notification.ts";
import type { ChannelAnswer } from "../../domain/notification/answer.ts";
import type { JobOrder } from "../../domain/job-order.ts";
import { signatureHeader, signingInput } from "../../domain/notification/webhook-signature.ts";
import type { NotificationSettings } from "../notification-settings.ts";
import { invalidParams, notConfigured, stableId } from "./prepared.ts";
import type { Prepared } from "./prepared.ts";
import { exchange, reasonOf, refusedBy } from "./http-exchange.ts";
import type { HttpAnswer } from "./http-exchange.ts";
import { createMask } from "./mask.ts";
import { checkWebhookTarget } from "./webhook-target.ts";

const SECOND_MS = 1_000;

/** A POST signed as Standard Webhooks describes. Every try of a node run has the same `webhook-id`. */
export function prepareWebhook(
  channels: NotificationSettings,
  order: JobOrder,
  { to, subject, message }: NotificationParams,
): Prepared {
  const configured = channels.webhook;
  if (!configured.ok) return notConfigured("webhook", configured.problems);
  const { keys, allowPrivate } = configured.settings;
  const [address, ...others] = Array.isArray(to) ? to : [to];
  if (address === undefined || others.length > 0) {
    return invalidParams('A webhook notification goes to one address: give "to" one, and use a node for each.');
  }
  const target = checkWebhookTarget(address, allowPrivate);
  if (!target.ok) return { ok: false, failure: { code: target.code, message: target.message } };
  const id = `msg_${stableId(order)}`;
  const body = JSON.stringify(bodyOf(order, subject, message));
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
        return post(channels, { url: target.url, headers, body }, id, signal);
      },
    },
  };
}

async function post(
  channels: NotificationSettings,
  request: { url: string; headers: Record<string, string>; body: string },
  id: string,
  signal: AbortSignal,
): Promise<ChannelAnswer> {
  let answer: HttpAnswer;
  try {
    answer = await exchange({ method: "POST", ...request }, signal);
  } catch (error) {
    return { type: "unknown", detail: reasonOf(error) };
  }
  const mask = createMask(channels);
  if (answer.status < 200 || answer.status > 299) return refusedBy(answer, mask);
  return { type: "accepted", statusCode: answer.status, detail: mask(answer.text), messageId: id };
}

function bodyOf(order: JobOrder, subject: string | undefined, message: string): WebhookNotification {
  const { executionId, workflowId, nodeRunId, queuedAt } = order;
  return {
    type: "bellhop.notification",
    timestamp: new Date(queuedAt).toISOString(),
    data: { message, ...(subject === undefined ? {} : { subject }), executionId, workflowId, nodeRunId },
  };
}

function sign(keyBase64: string, input: string): string {
  return createHmac("sha256", Buffer.from(keyBase64, "base64")).update(input, "utf8").digest("base64");
}
