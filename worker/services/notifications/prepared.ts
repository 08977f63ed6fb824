import type { NotificationChannel } from "../../../schema/contract/notification.ts";
import type { Failure } from "../../../schema/contract/problem.ts";
import type { ChannelAnswer } from "../../domain/notification/answer.ts";
import type { NotificationTarget } from "../../domain/notification/recipients.ts";
import type { JobOrder } from "../../domain/job-order.ts";

/** A checked notification; `send` is one attempt. */
export interface Delivery {
  readonly target: NotificationTarget;
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

/** The id by which a receiver recognises a message: the same for every attempt and every job of a node's `retry`. */
export function stableId({ nodeRunId, jobId }: JobOrder): string {
  return nodeRunId ?? jobId;
}
