import type { Timeline } from "../../../schema/contract/execution.ts";
import type { JobTimes } from "../../domain/job-order.ts";

/** The stages as the API shows them. Stored times win; the dispatcher knows those that are not stored yet. */
export function toTimeline(stored: JobTimes, live: JobTimes | undefined): Timeline {
  const at = (stage: keyof JobTimes) => {
    const time = stored[stage] ?? live?.[stage] ?? null;
    return time === null ? null : new Date(time).toISOString();
  };
  return {
    queuedAt: at("queuedAt"),
    assignedAt: at("assignedAt"),
    deliveredAt: at("deliveredAt"),
    startedAt: at("startedAt"),
    finishedAt: at("finishedAt"),
    reportedAt: at("reportedAt"),
  };
}
