import type { JobOrder } from "../../domain/run-types.ts";
import { sendDue } from "./send-due.ts";
import type { Notifier } from "./notifier.ts";

/** Takes notifications in, idempotent by (jobId, attempt); the alarm sends them. */
export function enqueueNotifications(notifier: Notifier, orders: readonly JobOrder[]): void {
  const now = notifier.world.now();
  const isNew = orders.map((order) => notifier.book.insert(order, now)).some(Boolean);
  if (!isNew) return;
  if (notifier.timers.working) sendDue(notifier);
  else notifier.alarm.by(now);
}
