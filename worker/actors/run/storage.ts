import type { ExecutionState } from "../../domain/execution-state.ts";
import type { JobReport } from "../../domain/job-order.ts";
import type { Deps } from "../../services/deps.ts";
import { logInfo } from "../../services/log.ts";
import { findExecution } from "../../store/execution-reads.ts";
import { loadExecution, saveStep } from "../../store/executions.ts";
import type { StepRecord, StoredExecution } from "../../store/executions.ts";
import type { RunEffect, RunEvent } from "./engine/types.ts";
import type { RunSlot } from "./slot.ts";

const JOBS_LOGGED_MAX = 50;

/** One step that was worked out: the event, and what follows from it. */
export interface TakenStep extends Pick<StepRecord, "audit" | "copies" | "schedule"> {
  /** Null for the first step. */
  before: ExecutionState | null;
  after: StoredExecution;
  event: RunEvent;
  effects: readonly RunEffect[];
  at: number;
}

/** Writes a step and keeps what it wrote. After an unknown outcome nothing is kept, so the next one reads again. */
export async function commit(deps: Deps, slot: RunSlot, taken: TakenStep): Promise<void> {
  slot.current = null;
  const record = toRecord(taken);
  await saveStep(deps.db, record);
  slot.current = taken.after;
  logStep(record);
}

/** Reads what was last committed. Its effects may not have been published: the object may have been restarted. */
export async function load(deps: Deps, slot: RunSlot, executionId: string): Promise<StoredExecution | null> {
  slot.current = await loadExecution(deps.db, executionId);
  if (slot.current !== null) slot.published = false;
  return slot.current;
}

/** An execution's revision as it was last committed; null when there is no such execution. */
export async function revisionOf(deps: Deps, known: StoredExecution | null, executionId: string) {
  if (known !== null) return known.state.revision;
  return (await findExecution(deps.db, executionId))?.revision ?? null;
}

function toRecord({ after, event, effects, ...step }: TakenStep): StepRecord {
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
    cancelledJobIds: effects.flatMap((effect) => (effect.type === "cancelJob" ? [effect.jobId] : [])),
  };
}

/** One line for each step: with it an execution's id leads to its jobs' ids, and those to agents. */
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
