import { z } from "zod";
import { triggerAnswerSchema } from "../../schema/contract/webhook.ts";
import type { FloodWebhook } from "./isolates.ts";
import { codeIn, reasonOf } from "./reason.ts";

/** An event from its sender's side. */
export interface FloodEvent {
  mark: string;
  tries: number;
  /** The ids in its 200s. */
  executionIds: string[];
  /** From the first request to the 200; null before it. */
  acceptMs: number | null;
  /** `performance.now()` of the first request. */
  sentAt: number;
  /** Why requests failed, with their number. */
  refusals: Record<string, number>;
}

const LANES = 64;
const ANSWER_WITHIN_MS = 30_000;
const TRY_AGAIN_MS = 500;
const PROBE_EVERY_MS = 200;

const answerSchema = z.object({ data: triggerAnswerSchema });

/** Sends `perWebhook` events to each webhook on 64 connections, and repeats each until it is accepted. */
export async function sendFlood(
  webhooks: readonly FloodWebhook[],
  perWebhook: number,
  events: FloodEvent[],
  signal: AbortSignal,
): Promise<void> {
  const orders = Array.from({ length: perWebhook }, () => webhooks).flat();
  await Promise.all(
    Array.from({ length: Math.min(LANES, orders.length) }, async () => {
      for (let webhook = orders.pop(); webhook !== undefined; webhook = orders.pop()) {
        await sendEvent(webhook, events, signal);
      }
    }),
  );
}

/** Sends an event every 200 ms, to the webhooks in turn, until `signal`. Resolves when all are accepted. */
export async function sendProbes(
  webhooks: readonly FloodWebhook[],
  events: FloodEvent[],
  { until, signal }: { until: AbortSignal; signal: AbortSignal },
): Promise<void> {
  const underWay: Promise<void>[] = [];
  for (let number = 0; !until.aborted && !signal.aborted; number += 1) {
    const webhook = webhooks[number % webhooks.length];
    if (webhook !== undefined) underWay.push(sendEvent(webhook, events, signal));
    await Bun.sleep(PROBE_EVERY_MS);
  }
  await Promise.all(underWay);
}

async function sendEvent(webhook: FloodWebhook, events: FloodEvent[], signal: AbortSignal): Promise<void> {
  const event: FloodEvent = {
    mark: crypto.randomUUID(),
    tries: 0,
    executionIds: [],
    acceptMs: null,
    sentAt: performance.now(),
    refusals: {},
  };
  events.push(event);
  while (event.acceptMs === null && !signal.aborted) {
    const refusal = await ring(webhook, event, signal).catch(reasonOf);
    if (refusal === null) return;
    event.refusals[refusal] = (event.refusals[refusal] ?? 0) + 1;
    await Bun.sleep(TRY_AGAIN_MS);
  }
}

/** Null when the event was accepted, otherwise the reason. */
async function ring({ url, secret }: FloodWebhook, event: FloodEvent, signal: AbortSignal): Promise<string | null> {
  event.tries += 1;
  const answer = await fetch(url, {
    method: "POST",
    headers: {
      Authorization: `Bearer ${secret}`,
      "Content-Type": "application/json",
      "X-Idempotency-Key": event.mark,
    },
    body: JSON.stringify({ variables: { mark: event.mark } }),
    signal: AbortSignal.any([signal, AbortSignal.timeout(ANSWER_WITHIN_MS)]),
  });
  const text = await answer.text();
  if (answer.status !== 200) return `${answer.status} ${codeIn(JSON.parse(text))}`;
  event.acceptMs = performance.now() - event.sentAt;
  event.executionIds.push(answerSchema.parse(JSON.parse(text)).data.executionId);
  return null;
}
