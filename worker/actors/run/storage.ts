import type { LimitUse } from "../../../schema/contract/limit-group.ts";
import type { ExecutionState } from "../../domain/execution-state.ts";
import type { JobReport } from "../../domain/job-order.ts";
import { isSampled, traceIdOf } from "../../domain/trace/trace-ids.ts";
import type { Deps } from "../../services/deps.ts";
import { logInfo } from "../../services/log.ts";
import { findExecution } from "../../store/execution-reads.ts";
import { rootIdOf } from "../../store/execution-rows.ts";
import { loadExecution, saveStep } from "../../store/executions.ts";
import type { StoredExecution } from "../../store/executions.ts";
import type { StepRecord } from "../../store/step-record.ts";
import type { RunEffect, RunEvent } from "./engine/types.ts";
import type { RunSlot } from "./slot.ts";

const JOBS_LOGGED_MAX = 50;

/** One computed step: the event, and its result. */
export interface TakenStep extends Pick<
  StepRecord,
  "audit" | "collected" | "collects" | "copies" | "schedule" | "startedBy"
> {
  /** Null for the first step. */
  before: ExecutionState | null;
  after: StoredExecution;
  event: RunEvent;
  effects: readonly RunEffect[];
  kept: StepRecord["kept"];
  at: number;
}

/** Writes a step and keeps its state in memory, except after an unknown outcome: the next step then reads again. */
export async function commit(deps: Deps, slot: RunSlot, taken: TakenStep): Promise<void> {
  slot.current = null;
  const record = { ...toRecord(taken), isTraced: isTraced(deps, taken.after) };
  await saveStep(deps.db, record);
  slot.current = taken.after;
  logStep(record);
}

/** Reads the last committed state. Its effects may be unpublished, because the object may have restarted. */
export async function load(deps: Deps, slot: RunSlot, executionId: string): Promise<StoredExecution | null> {
  slot.current = await loadExecution(deps.db, executionId);
  if (slot.current !== null) slot.published = false;
  return slot.current;
}

/** The last committed revision of an execution; null when there is no such execution. */
export async function revisionOf(deps: Deps, known: StoredExecution | null, executionId: string) {
  if (known !== null) return known.state.revision;
  return (await findExecution(deps.db, executionId))?.revision ?? null;
}

function isTraced({ settings }: Deps, { state, meta }: StoredExecution): boolean {
  return settings.tracing !== null && isSampled(traceIdOf(rootIdOf(state, meta)), settings.tracing.share);
}

function toRecord({ after, event, effects, ...step }: TakenStep): Omit<StepRecord, "isTraced"> {
  const report: JobReport | null = event.type === "jobFinished" ? event.report : null;
  const isReordered = effects.some((effect) => effect.type === "reorderJob");
  return {
    ...step,
    after: after.state,
    meta: after.meta,
    eventType: event.type,
    endedJob: isReordered ? null : report,
    reroutedJob: isReordered ? report : null,
    orders: effects.flatMap((effect) => (effect.type === "enqueueJob" ? [effect.order] : [])),
    overLimit: event.type === "decided" ? newUsesOf(step.before, after.state) : [],
    cancelledJobIds: effects.flatMap((effect) => (effect.type === "cancelJob" ? [effect.jobId] : [])),
  };
}

/** The uses of limits that this step makes count. */
function newUsesOf(before: ExecutionState | null, { limits }: ExecutionState): readonly LimitUse[] {
  return limits?.reserved === true && before?.limits?.reserved !== true ? limits.uses : [];
}

/** One line for each step. It leads from an execution's id to its jobs' ids and their agents. */
function logStep({ after, eventType, orders, endedJob }: StepRecord): void {
  const orderedJobIds = orders.slice(0, JOBS_LOGGED_MAX).map((job) => job.jobId);
  logInfo("an execution took a step", {
    executionId: after.id,
    workflowId: after.workflowId,
    event: eventType,
    status: after.status,
    ...(orders.length === 0 ? {} : { orderedJobIds: orderedJobIds.join(",") }),
    ...(endedJob === null ? {} : { endedJobId: endedJob.jobId, jobStatus: endedJob.status, agentId: endedJob.agentId }),
  });
}
