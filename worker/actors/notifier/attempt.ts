import type { ReceiverType } from "../../../schema/contract/notification-receiver.ts";
import { logError } from "../../services/log.ts";
import { SettingsUnknown } from "../../services/notifications/index.ts";
import type { Delivery } from "../../services/notifications/index.ts";
import {
  beginAttempt,
  endAttempt,
  failNotification,
  handOver,
  isQueuedTooLong,
  withdrawAttempt,
} from "./notification.ts";
import type { NotifierPorts } from "./ports.ts";
import type { LiveNotification, NotificationTable } from "./storage.ts";

/**
 * One attempt of a notification, from preparing it to storing its outcome. `resumedAt` is when the last pause ended
 * (epoch ms). Throws when storing failed, or while the channels' settings are unknown: then nothing was attempted.
 */
export async function attempt(
  table: NotificationTable,
  ports: NotifierPorts,
  live: LiveNotification,
  resumedAt: number | null,
): Promise<void> {
  try {
    const delivery = await prepare(table, ports, live, resumedAt);
    if (delivery === null) return;
    table.change(live, beginAttempt(live.notification, delivery.target, ports.now()));
    // The attempt must be on disk before anything is sent.
    await table.sync();
    await send(table, ports, live, delivery);
  } catch (error) {
    if (error instanceof SettingsUnknown) throw error;
    // A fault of the service itself, which another attempt would meet again.
    logError("an attempt to send a notification failed inside the service", {
      jobId: live.notification.facts.jobId,
      error: String(error),
    });
    const message = "The service failed while it sent the notification. The service's log shows why.";
    table.change(live, failNotification(live.notification, { code: "internal_error", message }, ports.now()));
  }
}

/** Null when there is nothing to send: the notification has ended, or was replaced. */
async function prepare(
  table: NotificationTable,
  ports: NotifierPorts,
  live: LiveNotification,
  resumedAt: number | null,
): Promise<Delivery<ReceiverType> | null> {
  const order = table.orderOf(live);
  const now = ports.now();
  if (order === null || live.notification.stage.type !== "waiting") return null;
  if (isQueuedTooLong(live.notification, now, resumedAt)) {
    const message =
      "The notification waited longer than its queueTimeoutSeconds, because this workflow sends many notifications at the " +
      "same time, or slow ones. Raise the limit, or send fewer.";
    table.change(live, failNotification(live.notification, { code: "queue_timeout", message }, now));
    return null;
  }
  const prepared = await ports.prepare(order);
  // During the preparation it may have been cancelled, or replaced by a newer attempt.
  if (live.notification.stage.type !== "waiting" || !table.isCurrent(live)) return null;
  if (prepared.ok) return prepared.delivery;
  table.change(live, failNotification(live.notification, prepared.failure, now));
  return null;
}

async function send(
  table: NotificationTable,
  ports: NotifierPorts,
  live: LiveNotification,
  delivery: Delivery<ReceiverType>,
): Promise<void> {
  // During the write it may have been cancelled, or replaced by a newer attempt.
  table.change(live, withdrawAttempt(live.notification, ports.now()));
  const { stage, accepted, rejected } = live.notification;
  if (stage.type !== "sending" || !table.isCurrent(live)) return;
  const finished = new Set([...accepted, ...rejected.map(({ address }) => address)]);
  const noteHandover = async () => {
    const handed = handOver(live.notification);
    if (handed.stage.type !== "sending" || !table.change(live, handed))
      throw new Error("the notification was replaced by a newer attempt");
    await table.sync();
    return handed.stage.startedAt + handed.stage.limitMs - ports.now();
  };
  const answer = await ports.send(delivery, finished, { limitMs: stage.limitMs, noteHandover });
  table.change(live, endAttempt(live.notification, answer, ports.now(), ports.random()));
}
