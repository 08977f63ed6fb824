import type { LimitUse } from "../../schema/contract/limit-group.ts";
import type { ScheduleMove } from "../domain/cron/decide-runs.ts";
import type { ExecutionState } from "../domain/execution-state.ts";
import type { JobOrder, JobReport } from "../domain/job-order.ts";
import type { AuditRow } from "./audit.ts";
import type { BatchedEvent } from "./batched-events.ts";
import type { ExecutionMeta } from "./execution-rows.ts";
import type { TotalName } from "./totals.ts";

/** The change of one step: the state before and after, and its jobs. */
export interface StepRecord {
  before: ExecutionState | null;
  after: ExecutionState;
  meta: ExecutionMeta;
  eventType: string;
  at: number;
  orders: readonly JobOrder[];
  endedJob: JobReport | null;
  /** The job that this step orders again: see `JobReport.reroute`. */
  reroutedJob?: JobReport | null;
  cancelledJobIds: readonly string[];
  /** The uses of limits that a person has just approved beyond them. */
  overLimit?: readonly LimitUse[];
  /** What kept actions from being ordered. */
  kept?: readonly TotalName[] | undefined;
  /** The schedule that this first step advances. If it has changed since it was read, the whole batch fails. */
  schedule?: ScheduleMove | undefined;
  /** Of an execution that collects events: the events that join it, or how many it begins with. */
  collects?: readonly BatchedEvent[] | undefined;
  collected?: number | undefined;
  /** Set when a person lets it begin that an event started. */
  startedBy?: readonly string[] | undefined;
  /** For a retry: node runs whose outputs are copied from others inside the database, by id. */
  copies?: ReadonlyMap<string, string> | undefined;
  /** The audit entry of the caller of the step. */
  audit?: AuditRow | undefined;
  /** Whether the spans of the execution are to be sent when it ends. */
  isTraced?: boolean;
}

/** The additions of this step to the totals in `/metrics`. */
export function countedOf(record: StepRecord): [TotalName, number][] {
  const { after, endedJob, cancelledJobIds, schedule } = record;
  const endedBy = (code: string) => (hasJustEnded(record) && after.error?.code === code ? 1 : 0);
  return [
    ...(hasJustEnded(record) ? [[`executions:${after.status}`, 1] satisfies [TotalName, number]] : []),
    ...(endedJob === null ? [] : [[`jobs:${endedJob.status}`, 1] satisfies [TotalName, number]]),
    ["jobs:cancelled", cancelledJobIds.length],
    ...(record.kept ?? []).map((name): [TotalName, number] => [name, 1]),
    ["targetRefused:agent", endedJob?.error?.code === "target_not_allowed" ? 1 : 0],
    ["batches", record.collects === undefined ? 0 : 1],
    // The first event of a batch joins no other.
    ["eventsJoined", Math.max(0, (record.collects ?? []).length - 1)],
    ...suppressedOf(record),
    ["missedRuns", schedule?.missed?.count ?? 0],
    ["queueFull", isOverflow(record) ? 1 : 0],
    ["skippedBusy", endedBy("skipped_busy")],
    ["superseded", endedBy("superseded")],
  ];
}

export function hasJustEnded({ before, after }: StepRecord): boolean {
  return after.status !== "running" && before?.status !== after.status;
}

/** Whether it was refused because too many others with its key waited. */
export function isOverflow({ eventType, after }: StepRecord): boolean {
  return eventType === "refused" && after.error?.code === "queue_full";
}

/** Counted once for each execution, also when another window holds it later. */
function suppressedOf({ before, after }: StepRecord): [TotalName, number][] {
  const { suppressed } = after;
  return suppressed === null || (before?.suppressed ?? null) !== null ? [] : [[`suppressed:${suppressed.as}`, 1]];
}
