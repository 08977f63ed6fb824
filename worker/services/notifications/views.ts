import { timesOf } from "../../domain/notification.ts";
import type { JobState } from "../ports.ts";
import type { Notifier } from "./notifier.ts";
import type { LiveNotification } from "./notification-book.ts";

/** Those of these jobs that this Notifier knows, as a Pool would tell of its own. */
export function notificationStatesOf(notifier: Notifier, jobIds: readonly string[]): JobState[] {
  return jobIds.flatMap((jobId): JobState[] => {
    const live = notifier.book.get(jobId);
    if (live !== undefined) return [stateOf(jobId, live)];
    const past = notifier.storage.loadFinished(jobId);
    if (past === null) return [];
    const unknown = { queuedAt: null, assignedAt: null, deliveredAt: null, startedAt: null };
    const times = { ...unknown, finishedAt: past.finishedAt, reportedAt: past.finishedAt };
    return [{ jobId, status: "finished", agentId: null, waiting: null, times }];
  });
}

const ITS_TURN = { code: "turn", detail: "Its turn: notifications are sent a few at a time." } as const;

/** `delivered` from the first try on: the service itself has it then. */
function stateOf(jobId: string, { notification }: LiveNotification): JobState {
  const { stage, attempts } = notification;
  const shown = { jobId, agentId: null, times: timesOf(notification) };
  switch (stage.type) {
    case "waiting": {
      const last = attempts.at(-1);
      if (last === undefined) return { ...shown, status: "queued", waiting: ITS_TURN };
      const until = new Date(stage.nextAt).toISOString();
      const detail = `Try ${attempts.length} brought no success (${last.detail}). The next one is at ${until}.`;
      return { ...shown, status: "delivered", waiting: { code: "next_try", until, detail } };
    }
    case "sending":
      return { ...shown, status: "delivered", waiting: null };
    case "ended":
      return { ...shown, status: "finished", waiting: null };
  }
}
