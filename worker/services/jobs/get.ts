import { isTerminalJob } from "../../../schema/contract/execution.ts";
import type { JobStatus, JobView } from "../../../schema/contract/execution.ts";
import { findJob } from "../../store/job-reads.ts";
import type { JobRow } from "../../store/job-reads.ts";
import type { Deps } from "../deps.ts";
import { notFound } from "../not-found.ts";
import type { JobState } from "../ports.ts";
import { liveJobStates } from "./live-states.ts";
import { toTimeline } from "./timeline.ts";

/** A job: its record, and while it has not ended, how it stands in its Pool. */
export async function getJob(deps: Deps, id: string): Promise<JobView> {
  const row = await findJob(deps.db, id);
  if (row === null) throw notFound("job", id);
  const live = isTerminalJob(row.status) ? undefined : (await liveJobStates(deps, [row])).get(id);
  return toView(row, live);
}

/** A job that Pool has finished ends for others when that is committed; until then it is still with its agent. */
const LIVE_STATUS = {
  queued: "queued",
  assigned: "assigned",
  delivered: "delivered",
  finished: "delivered",
} as const satisfies Record<JobState["status"], JobStatus>;

function toView(row: JobRow, live: JobState | undefined): JobView {
  return {
    id: row.id,
    kind: row.kind,
    status: live === undefined ? row.status : LIVE_STATUS[live.status],
    action: row.action,
    effect: row.effect,
    executionId: row.executionId,
    nodeRunId: row.nodeRunId,
    connectionId: row.connectionId,
    poolId: row.poolObject.startsWith("pool:") ? row.poolObject.slice("pool:".length) : null,
    agentId: row.agentId ?? live?.agentId ?? null,
    attempt: row.attempt,
    output: row.output,
    error: row.error,
    waitingFor: live?.waitingFor ?? null,
    timeline: toTimeline(row, live?.times),
  };
}
