import type { ReceiverType } from "../../../schema/contract/notification-receiver.ts";
import type { NotificationAttempt, RejectedRecipient } from "../../../schema/contract/notification.ts";
import type { Failure } from "../../../schema/contract/problem.ts";
import { isTemporaryReply } from "../../../schema/contract/smtp-reply.ts";

const SECOND_MS = 1_000;
const RETRY_FIRST_MS = SECOND_MS;
const RETRY_AFTER_MAX_MS = 24 * 60 * 60 * SECOND_MS;

/** A channel's answer to one attempt. The channel cuts and masks `detail`. */
export type ChannelAnswer =
  | {
      readonly type: "accepted";
      readonly statusCode: number;
      readonly detail: string;
      readonly messageId: string | null;
      /** Email over SMTP, where one message has several recipients. */
      readonly recipients?: { readonly accepted: readonly string[]; readonly rejected: readonly RejectedRecipient[] };
    }
  | {
      readonly type: "refused";
      readonly protocol: "http" | "smtp";
      readonly statusCode: number;
      readonly detail: string;
      readonly retryAfterMs: number | null;
      /** Whether the answer is about the service's login. */
      readonly login: boolean;
      /** SMS: the provider itself sent the error, not a system on the way to it. */
      readonly providerError?: boolean;
      /** Email over SMTP: the refusals of single recipients. */
      readonly rejected?: readonly RejectedRecipient[];
    }
  /** There was no usable connection: nothing was sent. */
  | { readonly type: "unreachable"; readonly detail: string }
  /** The message may have been sent, but no answer came. */
  | { readonly type: "unknown"; readonly detail: string };

/** The consequences of an answer. */
export interface Verdict {
  readonly next: "done" | "retry" | "failed" | "lost";
  readonly error: Failure;
  readonly retryAfterMs: number | null;
  readonly attempt: Omit<NotificationAttempt, "at">;
  readonly messageId: string | null;
  readonly accepted: readonly string[];
  /** Recipients that are not tried again. */
  readonly rejected: readonly RejectedRecipient[];
  /** Recipients whose refusal may be temporary. */
  readonly deferred: readonly RejectedRecipient[];
}

/**
 * Whether to try again, for every channel and every answer; only this function decides that. `handedOver`: the other
 * side may have the message, and would take a repetition for another message.
 */
export function judgeAnswer(channel: ReceiverType, answer: ChannelAnswer, handedOver: boolean): Verdict {
  const nothing = { retryAfterMs: null, messageId: null, accepted: [], rejected: [], deferred: [], error: NOT_ALL };
  switch (answer.type) {
    case "accepted": {
      const { statusCode, detail, messageId, recipients } = answer;
      const attempt = { result: "accepted", statusCode, detail } as const;
      const accepted = recipients?.accepted ?? [];
      // Greylisting and full mailboxes are temporary: those recipients are tried again, the others have the message.
      const others = sortRejected(recipients?.rejected);
      return {
        ...nothing,
        next: others.deferred.length > 0 ? "retry" : "done",
        attempt,
        messageId,
        accepted,
        ...others,
      };
    }
    case "refused":
      return { ...nothing, ...judgeRefusal(channel, answer) };
    case "unreachable": {
      const attempt = { result: "unreachable", statusCode: null, detail: answer.detail } as const;
      return { ...nothing, next: "retry", attempt, error: unreachable(channel, answer.detail) };
    }
    case "unknown": {
      const attempt = { result: "unknown", statusCode: null, detail: answer.detail } as const;
      const error = handedOver
        ? outcomeUnknown(channel, `${sentence(answer.detail)} This happened while`)
        : noAnswer(channel, answer.detail);
      return { ...nothing, next: handedOver ? "lost" : "retry", attempt, error };
    }
  }
}

/**
 * The wait after a number of attempts (at least one): 1 s, four times as long after each, up to `longestMs`, minus a
 * random part of up to a quarter. `random` is in [0, 1).
 */
export function retryDelayMs(attempts: number, random: number, longestMs: number): number {
  const full = Math.min(longestMs, RETRY_FIRST_MS * 4 ** (attempts - 1));
  return Math.round(full * (1 - random / 4));
}

/** A message with an unknown outcome. `when` begins the sentence. */
export function outcomeUnknown(channel: ReceiverType, when: string): Failure {
  const look =
    channel === "sms"
      ? "Check the provider's log. If the message is not there, send it again."
      : "Check whether it arrived before you send it again.";
  return {
    code: "outcome_unknown",
    message: `${when} the message was being handed to the ${WHO[channel]}. It is unknown whether the message was sent, so it is not sent again. ${look}`,
  };
}

const NOT_ALL: Failure = { code: "rejected", message: "Not every recipient was accepted." };

function judgeRefusal(channel: ReceiverType, answer: Extract<ChannelAnswer, { type: "refused" }>) {
  const { protocol, statusCode, detail, retryAfterMs, login } = answer;
  const attempt = { result: "refused", statusCode, detail } as const;
  const recipients = sortRejected(answer.rejected);
  if (channel === "sms" && !isKnownSmsRefusal(answer)) {
    const error = outcomeUnknown(channel, `The service answered ${statusCode} while`);
    return { next: "lost", attempt, error, ...recipients } as const;
  }
  const passes = protocol === "smtp" ? isTemporaryReply(statusCode) : isTransientStatus(statusCode);
  const transient = passes || recipients.deferred.length > 0;
  const next = transient ? "retry" : "failed";
  const error = refusal(channel, { protocol, statusCode, detail, transient, login });
  const pauseMs = retryAfterMs === null ? null : Math.min(RETRY_AFTER_MAX_MS, retryAfterMs);
  return { next, attempt, error, retryAfterMs: pauseMs, ...recipients } as const;
}

/**
 * Whether a text message was certainly not sent. After a gateway's timeout or an internal error, it may have been sent;
 * a provider that is too busy answers with its own error.
 */
function isKnownSmsRefusal({ statusCode, providerError }: Extract<ChannelAnswer, { type: "refused" }>): boolean {
  if (statusCode === 503) return providerError === true;
  return statusCode < 500 && statusCode !== 408;
}

/** Request Timeout, Too Early, Too Many Requests. */
const TRANSIENT_4XX: ReadonlySet<number> = new Set([408, 425, 429]);

function isTransientStatus(status: number): boolean {
  return TRANSIENT_4XX.has(status) || status >= 500;
}

function sortRejected(recipients: readonly RejectedRecipient[] = []) {
  const deferred = recipients.filter((recipient) => isTemporaryReply(recipient.statusCode));
  return { deferred, rejected: recipients.filter((recipient) => !deferred.includes(recipient)) };
}

const WHO = {
  email: "mail service",
  sms: "SMS provider",
  webhook: "receiver",
  slack: "Slack webhook",
  teams: "Teams webhook",
} as const satisfies Record<ReceiverType, string>;

interface Refusal {
  readonly protocol: "http" | "smtp";
  readonly statusCode: number;
  readonly detail: string;
  readonly transient: boolean;
  readonly login: boolean;
}

function refusal(channel: ReceiverType, { protocol, statusCode, detail, transient, login }: Refusal): Failure {
  const said = `The ${WHO[channel]} answered ${statusCode}: ${sentence(detail)}`;
  const remedy = transient ? "The problem may be temporary: try again later." : LOGIN_REMEDY[channel][protocol];
  if (login) return { code: "authentication_failed", message: `${said} ${remedy}` };
  if (transient) return { code: "unavailable", message: `${said} ${remedy}` };
  if (protocol === "http" && statusCode >= 300 && statusCode < 400) {
    const message = `${said} Redirects are not followed: use the address that the redirect leads to.`;
    return { code: "rejected", message };
  }
  return { code: "rejected", message: `${said} ${REJECTED_REMEDY[channel]}` };
}

const REJECTED_REMEDY = {
  email: "Check the recipients, and whether the mail service takes mail from the channel's sender.",
  sms: "Check the number, and the channel's sender.",
  webhook: "Check the address, and what its receiver expects.",
  slack: "Check in Slack that the webhook and its channel still exist.",
  teams: "Check in Teams that the workflow still exists and is turned on.",
} as const satisfies Record<ReceiverType, string>;

const IN_CONSOLE = "in the console under Settings → Notifications";

/** The way to set a secret of a channel (docs/deploy.md#settings). */
function setAgain(names: string): string {
  return `Enter the login again ${IN_CONSOLE}. If the environment has it, set ${names} again: on Cloudflare with "wrangler secret put", on one machine in /etc/bellhop/bellhop.env, then restart bellhop.service; with npm start in its environment, then start it again.`;
}

const LOGIN_REMEDY = {
  email: {
    smtp: setAgain("NOTIFY_SMTP_URL"),
    http: setAgain("NOTIFY_EMAIL_API_KEY"),
  },
  sms: {
    smtp: "",
    http: setAgain("NOTIFY_SMS_ACCOUNT_SID and NOTIFY_SMS_AUTH_TOKEN"),
  },
  webhook: {
    smtp: "",
    http: "The receiver requires a login, or does not have this service's signing secret. Check both.",
  },
  slack: { smtp: "", http: "Create a new webhook in Slack and enter its address." },
  teams: { smtp: "", http: "Let anyone trigger the workflow in Teams, or enter the address of a new one." },
} as const satisfies Record<ReceiverType, Record<"smtp" | "http", string>>;

function unreachable(channel: ReceiverType, detail: string): Failure {
  const message = `The ${WHO[channel]} could not be reached: ${sentence(detail)} ${UNREACHABLE_REMEDY[channel]}`;
  return { code: "unreachable", message };
}

const UNREACHABLE_REMEDY = {
  email: `Check the address of the mail service ${IN_CONSOLE}, or in NOTIFY_SMTP_URL or NOTIFY_EMAIL_API_URL, and that its certificate is valid.`,
  sms: `Check the address of the provider ${IN_CONSOLE}, or in NOTIFY_SMS_API_URL, and that its certificate is valid.`,
  webhook: "Check the address, and that its certificate is valid.",
  slack: "Check that the service may reach Slack.",
  teams: "Check that the service may reach Teams.",
} as const satisfies Record<ReceiverType, string>;

function noAnswer(channel: ReceiverType, detail: string): Failure {
  const message = `The ${WHO[channel]} gave no answer: ${sentence(detail)} ${UNREACHABLE_REMEDY[channel]}`;
  return { code: "unreachable", message };
}

function sentence(detail: string): string {
  const text = detail.trim();
  if (text === "") return "it gave no details.";
  return /[.!?]$/u.test(text) ? text : `${text}.`;
}
