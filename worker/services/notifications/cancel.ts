import { cancelNotification } from "../../domain/notification.ts";
import type { Notifier } from "./notifier.ts";
import { nextPrune } from "./notifier.ts";
import { tellEnds } from "./tell-ends.ts";

/**
 * Takes back what has not been sent; what is just being sent is not tried again. What has not come yet is refused when it
 * does. It does not wait for Run to hear of it: Run is the one that asks.
 */
export function cancelNotifications(notifier: Notifier, jobIds: readonly string[]): void {
  const now = notifier.world.now();
  for (const jobId of jobIds) {
    const live = notifier.book.get(jobId);
    if (live === undefined) notifier.book.refuse(jobId, now);
    else notifier.book.change(live, cancelNotification(live.notification, now));
  }
  const pruneAt = (notifier.timers.pruneAt ??= nextPrune(notifier.storage));
  if (pruneAt !== null) notifier.alarm.by(pruneAt);
  notifier.background(tellEnds(notifier));
}
