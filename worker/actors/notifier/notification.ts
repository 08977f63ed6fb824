import type { ReceiverType } from "../../../schema/contract/notification-receiver.ts";
import type { JsonObject } from "../../../schema/contract/json.ts";
import type { NotificationAttempt, RejectedRecipient } from "../../../schema/contract/notification.ts";
import type { Failure } from "../../../schema/contract/problem.ts";
import { judgeAnswer, outcomeUnknown, retryDelayMs } from "../../domain/notification/answer.ts";
import type { ChannelAnswer } from "../../domain/notification/answer.ts";
import type { NotificationTarget } from "../../domain/notification/recipients.ts";
import type { JobOrder, JobReport, JobTimes } from "../../domain/job-order.ts";
import { patienceOf } from "./patience.ts";

const SECOND_MS = 1_000;
/** The longest attempt up to the handover of its message, at most the rest of the node's time limit. */
const ATTEMPT_LIMIT_MS = 30 * SECOND_MS;
/** A shorter attempt is unlikely to succeed. */
const SHORTEST_TRY_MS = SECOND_MS;
/** Attempts that a record has. Later ones replace the oldest. */
const ATTEMPTS_KEPT = 6;

/** The order without its payload, which stays on disk until an attempt needs it. */
export type NotificationFacts = Omit<JobOrder, "params" | "values">;

/**
 * `waiting`: the next attempt is due at `nextAt` (epoch ms). `sending`: an attempt is under way. `ended`: the run has
 * yet to take the report.
 */
export type NotificationStage =
  | { readonly type: "waiting"; readonly nextAt: number }
  | {
      readonly type: "sending";
      readonly startedAt: number;
      readonly limitMs: number;
      /** True once the receiver may have the message and would take a repetition for another message. */
      readonly handedOver: boolean;
      readonly cancelRequested: boolean;
    }
  | { readonly type: "ended"; readonly report: JobReport };

/** A notification in its Notifier. Every transition below returns the next record; the caller stores it. */
export interface Notification {
  readonly facts: NotificationFacts;
  readonly stage: NotificationStage;
  /** Null before the first attempt. */
  readonly target: NotificationTarget<ReceiverType> | null;
  readonly attempts: readonly NotificationAttempt[];
  /** The start of the first attempt and of the time limit (epoch ms; docs/design/connections.md#notifications). */
  readonly startedAt: number | null;
  readonly messageId: string | null;
  /** Email: the recipients that the mail server accepted, refused for good, and refused for now. */
  readonly accepted: readonly string[];
  readonly rejected: readonly RejectedRecipient[];
  readonly deferred: readonly RejectedRecipient[];
}

export function queueNotification(order: JobOrder, now: number): Notification {
  const { params: _params, values: _values, ...facts } = order;
  return {
    facts,
    stage: { type: "waiting", nextAt: now },
    target: null,
    attempts: [],
    startedAt: null,
    messageId: null,
    accepted: [],
    rejected: [],
    deferred: [],
  };
}

/** Stored before anything is sent, so that after a crash it is known that a message may have been sent. */
export function beginAttempt(
  notification: Notification,
  target: NotificationTarget<ReceiverType>,
  now: number,
): Notification {
  const startedAt = notification.startedAt ?? now;
  const deadline = patienceOf(notification.facts).deadlineOf(startedAt, now);
  const limitMs = Math.max(1, Math.min(ATTEMPT_LIMIT_MS, deadline - now));
  const attempt: NotificationAttempt = {
    at: new Date(now).toISOString(),
    result: "interrupted",
    statusCode: null,
    detail: "The service stopped before it recorded an answer.",
  };
  return {
    ...notification,
    target,
    startedAt,
    stage: { type: "sending", startedAt: now, limitMs, handedOver: false, cancelRequested: false },
    attempts: [...notification.attempts, attempt].slice(-ATTEMPTS_KEPT),
  };
}

/**
 * Stored before the last step, after which the receiver may have the message. From then on the attempt waits for its
 * answer up to the node's time limit: a client that gives up early does not know whether the message was taken (RFC
 * 5321, 4.5.3.2.6).
 */
export function handOver(notification: Notification): Notification {
  const { stage } = notification;
  if (stage.type !== "sending") return notification;
  const startedAt = notification.startedAt ?? stage.startedAt;
  const deadline = patienceOf(notification.facts).deadlineOf(startedAt, stage.startedAt);
  const limitMs = Math.max(1, deadline - stage.startedAt);
  return { ...notification, stage: { ...stage, limitMs, handedOver: true } };
}

/** Applies the answer to an attempt. `random` is in [0, 1). */
export function endAttempt(before: Notification, answer: ChannelAnswer, now: number, random: number): Notification {
  const { stage, target } = before;
  if (stage.type !== "sending" || target === null) return before;
  const verdict = judgeAnswer(target.channel, answer, stage.handedOver);
  const notification: Notification = {
    ...before,
    attempts: [...before.attempts.slice(0, -1), { ...verdict.attempt, at: new Date(stage.startedAt).toISOString() }],
    messageId: verdict.messageId ?? before.messageId,
    accepted: [...before.accepted, ...verdict.accepted],
    rejected: [...before.rejected, ...verdict.rejected],
    deferred: verdict.deferred,
  };
  if (verdict.next === "done") return end(notification, { status: "succeeded", error: null }, now);
  if (verdict.next === "lost") return end(notification, { status: "failed", error: verdict.error, lost: true }, now);
  if (stage.cancelRequested) return end(notification, cancelled(notification), now);
  if (verdict.next === "failed") return fail(notification, verdict.error, now);
  const { maxAttempts, longestPauseMs, endOf, triesAtTheEnd, noTime } = patienceOf(notification.facts);
  const deadline = endOf(notification.startedAt ?? now);
  if (deadline <= now) return end(notification, timedOut(notification, verdict.error), now);
  const pauseMs = Math.max(
    verdict.retryAfterMs ?? 0,
    retryDelayMs(notification.attempts.length, random, longestPauseMs),
  );
  const lastAt = deadline - SHORTEST_TRY_MS;
  const nextAt = triesAtTheEnd && now < lastAt ? Math.min(now + pauseMs, lastAt) : now + pauseMs;
  if (mayHaveArrivedOften(notification)) {
    const more = `The last ${ATTEMPTS_KEPT} attempts had no answer, and each may have arrived.`;
    return fail(notification, withMore(verdict.error, more), now);
  }
  if (notification.attempts.length >= maxAttempts) {
    return fail(notification, withMore(verdict.error, `All ${maxAttempts} attempts failed.`), now);
  }
  if (nextAt > lastAt) {
    return fail(notification, withMore(verdict.error, noTime), now);
  }
  return { ...notification, stage: { type: "waiting", nextAt } };
}

/** Slack and Teams show a repetition as another message. */
function mayHaveArrivedOften({ target, attempts }: Notification): boolean {
  const canRecognise = target?.channel !== "slack" && target?.channel !== "teams";
  return !canRecognise && attempts.length >= ATTEMPTS_KEPT && attempts.every(({ result }) => result === "unknown");
}

/**
 * After a restart: an attempt with an unknown end. It is repeated, unless its message was handed over to a receiver
 * that cannot recognise the repetition: a mail server, or a provider of text messages.
 */
export function resumeInterrupted(notification: Notification, now: number): Notification {
  const { stage, target } = notification;
  if (stage.type !== "sending") return notification;
  if (stage.handedOver && target !== null) {
    const error = outcomeUnknown(target.channel, "The service stopped while");
    return end(notification, { status: "failed", error, lost: true }, now);
  }
  if (stage.cancelRequested) return end(notification, cancelled(notification), now);
  if (patienceOf(notification.facts).endOf(notification.startedAt ?? now) <= now) {
    return end(notification, timedOut(notification, null), now);
  }
  return { ...notification, stage: { type: "waiting", nextAt: now } };
}

/** A waiting notification ends, an attempt under way is the last one, and an ended notification does not change. */
export function cancelNotification(notification: Notification, now: number): Notification {
  const { stage } = notification;
  switch (stage.type) {
    case "waiting":
      return end(notification, cancelled(notification), now);
    case "sending":
      return stage.cancelRequested ? notification : { ...notification, stage: { ...stage, cancelRequested: true } };
    case "ended":
      return notification;
  }
}

/** Removes a stored attempt that was cancelled before anything was sent. */
export function withdrawAttempt(notification: Notification, now: number): Notification {
  const { stage, attempts } = notification;
  if (stage.type !== "sending" || !stage.cancelRequested) return notification;
  const before = { ...notification, attempts: attempts.slice(0, -1) };
  return end(before, cancelled(attempts.length > 1 ? before : { ...before, startedAt: null }), now);
}

/** False from the first attempt on. A pause keeps the others back. */
export function hasBegun({ startedAt }: Notification): boolean {
  return startedAt !== null;
}

/**
 * Whether it has waited longer for its first attempt than its node allows. The time starts again after a pause, which
 * ended at `resumedAt` (epoch ms).
 */
export function isQueuedTooLong({ facts, stage, startedAt }: Notification, now: number, resumedAt: number | null) {
  if (stage.type !== "waiting" || startedAt !== null || facts.queueTimeoutSeconds === null) return false;
  return Math.max(facts.queuedAt, resumedAt ?? 0) + facts.queueTimeoutSeconds * SECOND_MS <= now;
}

/** Ends it without another attempt. */
export function failNotification(notification: Notification, error: Failure, now: number): Notification {
  return notification.stage.type === "ended" ? notification : fail(notification, error, now);
}

export function timesOf({ facts, stage, startedAt }: Notification): JobTimes {
  if (stage.type === "ended") return stage.report.times;
  const none = { assignedAt: null, deliveredAt: null, finishedAt: null, reportedAt: null };
  return { ...none, queuedAt: facts.queuedAt, startedAt };
}

interface Ending {
  readonly status: JobReport["status"];
  readonly error: Failure | null;
  readonly lost?: boolean;
}

function end(notification: Notification, { status, error, lost = false }: Ending, now: number): Notification {
  const { jobId, attempt } = notification.facts;
  const report: JobReport = {
    jobId,
    attempt,
    status,
    output: outputOf(notification, now),
    error,
    agentId: null,
    times: { ...timesOf(notification), finishedAt: now, reportedAt: now },
    lost,
  };
  return { ...notification, stage: { type: "ended", report } };
}

/**
 * No one gets a message twice: if a mail server accepted it for some recipients, it counts as sent, and the output
 * names the others.
 */
function fail(notification: Notification, error: Failure, now: number): Notification {
  if (notification.accepted.length > 0) return end(notification, { status: "succeeded", error: null }, now);
  return end(notification, { status: "failed", error }, now);
}

/** NotificationOutput as plain JSON; null when there was no attempt. */
function outputOf(notification: Notification, now: number): JsonObject | null {
  const { target, attempts, messageId, accepted, startedAt } = notification;
  if (target === null) return null;
  const rejected = [...notification.rejected, ...notification.deferred].map((recipient) => ({ ...recipient }));
  const recipients: JsonObject = accepted.length + rejected.length === 0 ? {} : { accepted: [...accepted], rejected };
  return {
    channel: target.channel,
    to: [...target.to],
    attempts: attempts.map((attempt) => ({ ...attempt })),
    statusCode: attempts.at(-1)?.statusCode ?? null,
    messageId,
    ...recipients,
    durationMs: now - (startedAt ?? now),
  };
}

function cancelled({ startedAt }: Notification): Ending {
  const message =
    startedAt === null
      ? "The notification was cancelled before it was sent."
      : "The notification was cancelled after a failed attempt. No further attempt follows.";
  return { status: "cancelled", error: { code: "cancelled", message } };
}

function timedOut({ facts, accepted }: Notification, last: Failure | null): Ending {
  if (accepted.length > 0) return { status: "succeeded", error: null };
  const { tooLate, help } = patienceOf(facts);
  return { status: "timed_out", error: { code: "timed_out", message: `${tooLate} ${last?.message ?? help}` } };
}

function withMore({ code, message }: Failure, more: string): Failure {
  return { code, message: `${message} ${more}` };
}
