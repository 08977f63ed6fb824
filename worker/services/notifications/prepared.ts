import type { ReceiverType } from "../../../schema/contract/notification-receiver.ts";
import type { NotificationChannel } from "../../../schema/contract/notification.ts";
import type { Failure } from "../../../schema/contract/problem.ts";
import type { ChannelAnswer } from "../../domain/notification/answer.ts";
import type { NotificationTarget } from "../../domain/notification/recipients.ts";

/** A checked notification; `send` is one attempt. */
export interface Delivery<T extends ReceiverType = NotificationChannel> {
  readonly target: NotificationTarget<T>;
  /**
   * Never throws for errors of the other side. `finished` are the recipients that earlier attempts have finished; this
   * attempt leaves them out.
   */
  send(finished: ReadonlySet<string>, attempt: AttemptControl): Promise<ChannelAnswer>;
}

export interface AttemptControl {
  /** The channel gives up when this aborts. */
  readonly signal: AbortSignal;
  /**
   * Stores durably that the message may have been taken from now on. Channels whose receiver would take a repetition
   * for another message call it once, right before the last step. Throws when the step must no longer be made.
   */
  noteHandover(): Promise<void>;
}

export type Prepared<T extends ReceiverType = NotificationChannel> =
  | { readonly ok: true; readonly delivery: Delivery<T> }
  | Refusal;

interface Refusal {
  readonly ok: false;
  readonly failure: Failure;
}

export function invalidParams(message: string): Refusal {
  return { ok: false, failure: { code: "invalid_params", message } };
}

export function notConfigured(channel: NotificationChannel, problems: readonly string[]): Refusal {
  const message = `The channel ${channel} is not configured. Set it up in the console under Settings → Notifications, or in the environment. ${problems.join(" ")}`;
  return { ok: false, failure: { code: "channel_not_configured", message } };
}

/** What a message is about, and by what its receiver recognises it. */
export interface MessageOrigin {
  /** The same for every attempt: letters, digits, `_` and `-`. */
  readonly id: string;
  /** Epoch milliseconds. */
  readonly at: number;
  readonly executionId: string | null;
  readonly workflowId: string | null;
  readonly nodeRunId: string | null;
  /** A page for people about it. */
  readonly url: string | null;
}
