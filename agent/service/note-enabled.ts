import type { Activity } from "../activity.ts";
import type { Log } from "../log.ts";

/** Called with the answers to registrations and heartbeats. Logs one line when the setting changes. */
export function noteEnabled(enabled: boolean, { activity, log }: { activity: Activity; log: Log }): void {
  const before = activity.enabled;
  activity.enabled = enabled;
  if (before === enabled) return;
  if (!enabled) log.warning("this agent is disabled: it gets no new jobs until it is enabled");
  else if (before !== null)
    log.info(activity.isShuttingDown ? "this agent is enabled again" : "this agent is enabled again: it gets jobs");
}
