import type { NotificationChannel } from "../../../schema/contract/notification.ts";
import type { Failure } from "../../../schema/contract/problem.ts";
import type { ChannelAnswer } from "../../domain/notification/answer.ts";
import type { NotificationTarget } from "../../domain/notification/recipients.ts";
import type { JobOrder } from "../../domain/job-order.ts";

/** What is to be sent, checked; `send` is one try. */
export interface Delivery {
  readonly target: NotificationTarget;
  /**
   * Never throws for what the other side does. `settled`: the recipients that earlier tries have dealt with; they are
   * left out.
   */
  send(settled: ReadonlySet<string>, attempt: AttemptControl): Promise<ChannelAnswer>;
}

export interface AttemptControl {
  /** After it the channel gives up. */
  readonly signal: AbortSignal;
  /**
   * Notes on disk that the message may have been taken from now on. Called once, right before the last step, by channels
   * whose other side would take a repetition for another message. Throws when the step must not be made any more.
   */
  noteHandover(): Promise<void>;
}

export type Prepared =
  | { readonly ok: true; readonly delivery: Delivery }
  | { readonly ok: false; readonly failure: Failure };

export function invalidParams(message: string): Prepared {
  return { ok: false, failure: { code: "invalid_params", message } };
}

export function notConfigured(channel: NotificationChannel, problems: readonly string[]): Prepared {
  const message = `The channel ${channel} is not configured. ${problems.join(" ")}`;
  return { ok: false, failure: { code: "channel_not_configured", message } };
}

/** By which a receiver knows a message that it already has: the same for every try, also when the node's `retry` makes a new job. */
export function stableId({ nodeRunId, jobId }: JobOrder): string {
  return nodeRunId ?? jobId;
}
