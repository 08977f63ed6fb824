import { z } from "zod";
import { triggerAnswerSchema } from "../schema/contract/webhook.ts";
import { Refused } from "./admin.ts";
import type { Random } from "./random.ts";
import type { Load, Webhook } from "./setup.ts";
import type { System } from "./system.ts";
import { KIND_NAMES, isSent, kindOf } from "./workflows.ts";
import type { KindName } from "./workflows.ts";

/** An event from its sender's side. Times are epoch milliseconds. */
export interface SentEvent {
  key: string;
  kind: KindName;
  firstSentAt: number;
  /** The time of the first 200 (for an incident, 201); null before it. */
  acceptedAt: number | null;
  lastSentAt: number;
  tries: number;
  /** The ids in the 200s; more than one is a violation. */
  executionIds: string[];
  /** The event's time in the service's answer. */
  startedAt: number | null;
  /** The number of answers that called it a duplicate. */
  deduplicated: number;
  cancelAsked: boolean;
  /** Why the last request failed; null when it succeeded. */
  lastRefusal: string | null;
  /** The sender has nothing more to send for it. */
  done: boolean;
}

const ANSWER_WITHIN_MS = 5_000;
const RETRY_MS = { min: 200, max: 2_000 };
const REPEAT_CHANCE = 0.15;

export interface SendersOptions {
  system: System;
  load: Load;
  random: Random;
  /** The mean time between two events of a kind. */
  meanGapMs: number;
  /** Epoch milliseconds: no new events from then on. */
  until: number;
  /** Prepended to every key, so that two runs never share a key. */
  prefix: string;
}

/**
 * Sends events of every kind until the time is over, and repeats each event until it is accepted, as a reliable
 * monitoring system does. `done` resolves when the last event is accepted.
 */
export function sendEvents(options: SendersOptions): { events: SentEvent[]; done: Promise<unknown> } {
  const events: SentEvent[] = [];
  const senders = KIND_NAMES.filter((name) => isSent(kindOf(name)));
  return { events, done: Promise.all(senders.map((name) => sendKind(options, name, events))) };
}

async function sendKind(options: SendersOptions, kind: KindName, events: SentEvent[]): Promise<void> {
  const random = options.random.fork(kind);
  const underWay: Promise<void>[] = [];
  for (let number = 1; ; number++) {
    // Drawn before the clock is read: the same seed gives the same events.
    const gapMs = options.meanGapMs * (0.2 + 1.6 * random.next());
    const own = random.fork(String(number));
    if (Date.now() + gapMs > options.until) break;
    await Bun.sleep(gapMs);
    const key = `${options.prefix}-${kind}-${number}`;
    const event: SentEvent = {
      key,
      kind,
      ...UNSENT,
      executionIds: [],
      firstSentAt: Date.now(),
      lastSentAt: Date.now(),
    };
    events.push(event);
    underWay.push(sendOne(options, event, own));
  }
  await Promise.all(underWay);
}

const UNSENT = {
  acceptedAt: null,
  startedAt: null,
  tries: 0,
  deduplicated: 0,
  cancelAsked: false,
  lastRefusal: null,
  done: false,
};

async function sendOne(options: SendersOptions, event: SentEvent, random: Random): Promise<void> {
  const kind = kindOf(event.kind);
  const variables = { key: event.key, ...kind.variables?.(random) };
  const repeatAfterMs = random.chance(REPEAT_CHANCE) ? random.whole(10, 4_000) : null;
  const cancelAfterMs = kind.cancelAfterMs?.(random) ?? null;
  const send = kind.trigger === "incident" ? reportIncident : ring;
  await untilAccepted(event, () => send(options, event, variables), random);
  const [executionId] = event.executionIds;
  if (cancelAfterMs !== null && executionId !== undefined) {
    await Bun.sleep(cancelAfterMs);
    event.cancelAsked = true;
    await cancel(options.system, event, executionId);
  }
  if (repeatAfterMs !== null) {
    await Bun.sleep(repeatAfterMs);
    await untilAccepted(event, () => send(options, event, variables), random);
  }
  event.done = true;
}

async function untilAccepted(event: SentEvent, send: () => Promise<string | null>, random: Random): Promise<void> {
  for (;;) {
    event.lastRefusal = await send().catch((error: unknown) => String(error));
    if (event.lastRefusal === null) return;
    await Bun.sleep(random.whole(RETRY_MS.min, RETRY_MS.max));
  }
}

const webhookAnswer = z.object({ success: z.literal(true), data: triggerAnswerSchema });

/** Null when the event was accepted, otherwise the answer. */
async function ring({ system, load }: SendersOptions, event: SentEvent, variables: object): Promise<string | null> {
  const webhook: Webhook | undefined = load.webhooks.get(event.kind);
  if (webhook === undefined) throw new Error(`${event.kind} has no webhook`);
  const answer = await post(system, event, `/webhooks/${webhook.key}`, webhook.secret, "X-Idempotency-Key", {
    variables,
  });
  if (answer.status !== 200) return `${answer.status} ${await answer.text()}`;
  const { data } = webhookAnswer.parse(await answer.json());
  event.acceptedAt ??= Date.now();
  event.startedAt ??= Date.parse(data.startedAt);
  if (!event.executionIds.includes(data.executionId)) event.executionIds.push(data.executionId);
  if (data.deduplicated === true) event.deduplicated++;
  return null;
}

async function reportIncident({ system }: SendersOptions, event: SentEvent): Promise<string | null> {
  const answer = await post(system, event, "/incidents", system.adminToken, "Idempotency-Key", {
    title: event.key,
    service: event.kind,
  });
  const text = await answer.text();
  // The first answer was lost; the service reports the repetition.
  const isThere = answer.status === 409 && text.includes("This was done before with the same Idempotency-Key");
  if (answer.status !== 201 && !isThere) return `${answer.status} ${text}`;
  if (isThere) event.deduplicated++;
  event.acceptedAt ??= Date.now();
  event.startedAt ??= event.firstSentAt;
  return null;
}

async function post(
  system: System,
  event: SentEvent,
  path: string,
  token: string,
  keyHeader: string,
  body: object,
): Promise<Response> {
  event.tries++;
  event.lastSentAt = Date.now();
  return fetch(`${system.links.senders.url}/api/v1/automation${path}`, {
    method: "POST",
    headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json", [keyHeader]: event.key },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
  });
}

/** Retries until an answer arrives. Without an answer the event stays undone, and the run does not come to rest. */
async function cancel({ admin }: System, event: SentEvent, executionId: string): Promise<void> {
  for (;;) {
    try {
      await admin.call("POST", `/executions/${executionId}/cancel`, undefined, z.unknown());
      return;
    } catch (error) {
      // The execution had already ended.
      if (error instanceof Refused) return;
      event.lastRefusal = String(error);
    }
  }
}
