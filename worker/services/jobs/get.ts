import { isTerminalJob } from "../../../schema/contract/execution.ts";
import type { JobStatus, JobView, LateResult } from "../../../schema/contract/execution.ts";
import { outputsShown } from "../../domain/template/output-json.ts";
import { findJob, findJobsOf } from "../../store/job-reads.ts";
import type { JobRecord } from "../../store/job-reads.ts";
import { findStaleResults, findStaleResultsOf } from "../../store/stale-results.ts";
import type { StaleResultRow } from "../../store/stale-results.ts";
import type { Deps } from "../deps.ts";
import { notFound } from "../not-found.ts";
import type { JobState } from "../../actors/dispatcher/index.ts";
import { assignmentsOf } from "./assignments.ts";
import { liveJobStates } from "./live-states.ts";
import { toTimeline } from "./timeline.ts";

/** A job: its record, its state in its dispatcher until it has ended, and results that came too late. */
export async function getJob(deps: Deps, id: string): Promise<JobView> {
  const row = await findJob(deps.db, id);
  if (row === null) throw notFound("job", id);
  const [live, late] = await Promise.all([
    isTerminalJob(row.status) ? new Map<string, JobState>() : liveJobStates(deps, [row]),
    findStaleResults(deps.db, id),
  ]);
  const state = live.get(id);
  const shown = toView(row, state);
  const lost = row.assignments ?? state?.assignments ?? [];
  const [assignments = []] = await assignmentsOf(deps, [{ lost, ...shown }]);
  const view = { ...shown, assignments };
  return late.length === 0 ? view : { ...view, lateResults: late.map(toLateResult) };
}

/** The jobs of an execution that has ended, oldest first. */
export async function getJobsOfEnded(deps: Deps, executionId: string): Promise<JobView[]> {
  const [rows, late] = await Promise.all([findJobsOf(deps.db, executionId), findStaleResultsOf(deps.db, executionId)]);
  const shown = rows.map((row) => toView(row, undefined));
  const given = shown.map((view, index) => ({ ...view, lost: rows[index]?.assignments ?? [] }));
  const assignments = await assignmentsOf(deps, given);
  const lateByJob = Map.groupBy(late, ({ jobId }) => jobId);
  return shown.map((one, index) => {
    const view = { ...one, assignments: assignments[index] ?? [] };
    const theirs = lateByJob.get(one.id);
    return theirs === undefined ? view : { ...view, lateResults: theirs.map(toLateResult) };
  });
}

function toLateResult({ agentId, status, startedAt, finishedAt, receivedAt }: StaleResultRow): LateResult {
  return {
    agentId,
    status,
    startedAt: startedAt === null ? null : new Date(startedAt).toISOString(),
    finishedAt: new Date(finishedAt).toISOString(),
    reportedAt: new Date(receivedAt).toISOString(),
  };
}

/** A job that the dispatcher has finished ends in the API when that is committed; until then its agent still has it. */
const LIVE_STATUS = {
  queued: "queued",
  assigned: "assigned",
  delivered: "delivered",
  finished: "delivered",
} as const satisfies Record<JobState["status"], JobStatus>;

function toView(row: JobRecord, live: JobState | undefined): Omit<JobView, "assignments"> {
  return {
    id: row.id,
    kind: row.kind,
    status: live === undefined ? row.status : LIVE_STATUS[live.status],
    action: row.action,
    effect: row.effect,
    executionId: row.executionId,
    nodeRunId: row.nodeRunId,
    connectionId: row.connectionId,
    target: row.target,
    poolId: row.poolObject.startsWith("pool:") ? row.poolObject.slice("pool:".length) : null,
    agentId: row.agentId ?? live?.agentId ?? null,
    attempt: row.attempt,
    output: outputsShown()(row.output),
    error: row.error,
    waitingFor: live?.waiting?.detail ?? null,
    waiting: live?.waiting ?? null,
    timeline: toTimeline(row, live?.times),
  };
}
