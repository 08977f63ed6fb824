import type { NotificationChannel } from "../../../schema/contract/notification.ts";
import type { Failure } from "../../../schema/contract/problem.ts";
import type { NotificationTarget } from "../../domain/notification.ts";
import type { ChannelAnswer } from "../../domain/notification/answer.ts";

/** What is to be sent, checked; `send` is one try. */
export interface Delivery {
  readonly target: NotificationTarget;
  /**
   * Never throws for what the other side does. `settled`: the recipients that earlier tries have dealt with; they are
   * left out. After `signal` it gives up.
   */
  send(settled: ReadonlySet<string>, signal: AbortSignal): Promise<ChannelAnswer>;
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
