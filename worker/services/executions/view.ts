import type { ExecutionSummary, NodeRunStatus, NodeRunView } from "../../../schema/contract/execution.ts";
import { isTerminalNodeRun } from "../../../schema/contract/execution.ts";
import type { JsonValue } from "../../../schema/contract/json.ts";
import type { ExecutionRow, NodeRunRow } from "../../store/execution-reads.ts";
import { toTimeline } from "../jobs/timeline.ts";
import type { JobState } from "../ports.ts";

export function toSummary(row: ExecutionRow): ExecutionSummary {
  return {
    id: row.id,
    workflowId: row.workflowId,
    versionId: row.versionId,
    status: row.status,
    trigger: row.trigger,
    startedAt: new Date(row.startedAt).toISOString(),
    finishedAt: row.finishedAt === null ? null : new Date(row.finishedAt).toISOString(),
    error: row.error,
  };
}

/** A node run; `live` is how its job stands in its Pool, while that has not ended. */
export function toNodeRunView(row: NodeRunRow, output: JsonValue | null, live: JobState | undefined): NodeRunView {
  const index = row.iterationPath.split(".").at(-1) ?? "";
  const current = isTerminalNodeRun(row.status) ? undefined : live;
  return {
    id: row.id,
    nodeId: row.nodeId,
    ...(index === "" ? {} : { index: Number(index) }),
    status: statusOf(row.status, current),
    attempt: row.attempt,
    jobId: row.jobId,
    output,
    error: row.error,
    waitingFor: current?.waitingFor ?? null,
    timeline: toTimeline(row, current?.times),
  };
}

/** A node run whose job no agent has yet waits, however the engine calls it. */
function statusOf(stored: NodeRunStatus, live: JobState | undefined): NodeRunStatus {
  switch (live?.status) {
    case "queued":
    case "assigned":
      return "waiting";
    case "delivered":
    case "finished":
      return "running";
    case undefined:
      return stored;
  }
}
