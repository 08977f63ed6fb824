import { isTerminalExecution } from "../../../schema/contract/execution.ts";
import { step, tookEffect } from "./engine/step.ts";
import type { ExecutionState } from "../../domain/execution-state.ts";
import type { JobReport } from "../../domain/job-order.ts";
import type { RunEffect, RunEvent } from "./engine/types.ts";
import type { AuditRow } from "../../store/audit.ts";
import { isConflict } from "../../store/errors.ts";
import { loadExecution, saveStep } from "../../store/executions.ts";
import type { ExecutionMeta, StepRecord, StoredExecution } from "../../store/executions.ts";
import { recordLateEnd } from "../../store/jobs.ts";
import type { Deps } from "../../services/deps.ts";
import { logInfo } from "../../services/log.ts";
import { versionOf } from "../../services/workflows/version-of.ts";
import type { RunSlot } from "./slot.ts";
import { stepDepsOf } from "./step-deps.ts";

export interface Applied {
  stored: StoredExecution;
  effects: readonly RunEffect[];
  /** Whether the event changed something. */
  changed: boolean;
}

const MAX_CONFLICTS = 3;
const JOBS_LOGGED_MAX = 50;

/**
 * Applies one event to an execution as one committed step, with the audit entry of whoever sent it. Null when there is no
 * such execution. An event that changes nothing commits nothing. Throws when the outcome is not known; then it may be
 * applied again.
 */
export async function applyEvent(
  deps: Deps,
  slot: RunSlot,
  executionId: string,
  event: RunEvent,
  audit?: AuditRow,
): Promise<Applied | null> {
  for (let conflicts = 0; ; conflicts += 1) {
    const stored = slot.current ?? (await load(deps, slot, executionId));
    if (stored === null) return null;
    const isOver = isTerminalExecution(stored.state.status);
    if (isOver && event.type === "jobFinished") await recordLateEnd(deps.db, event.report);
    // What has ended and has nothing left to tell changes no more; its definition need not be read for that.
    if (isOver && stored.state.wakeAt === null) return { stored, effects: [], changed: false };
    const version = await versionOf(deps, stored.state.versionId);
    const stepDeps = await stepDepsOf(deps, version);
    const now = deps.now();
    const { state, effects } = step(version.definition, stored.state, event, now, stepDeps);
    if (state.revision === stored.state.revision) return { stored, effects: [], changed: false };
    const after = { state, meta: stored.meta };
    try {
      await commit(deps, slot, stored.state, after, event, effects, now, {
        audit: tookEffect(event, state) ? audit : undefined,
      });
      return { stored: after, effects, changed: true };
    } catch (error) {
      // Another copy of this object, or a batch whose answer was lost, was first: look at what it wrote.
      if (!isConflict(error) || conflicts >= MAX_CONFLICTS) throw error;
    }
  }
}

/** Writes a step and keeps what it wrote. After an unknown outcome nothing is kept, so the next one reads again. */
export async function commit(
  deps: Deps,
  slot: RunSlot,
  before: ExecutionState | null,
  after: StoredExecution,
  event: RunEvent,
  effects: readonly RunEffect[],
  now: number,
  also: Pick<StepRecord, "audit" | "copies" | "schedule"> = {},
): Promise<void> {
  slot.current = null;
  const record = toRecord(before, after.state, after.meta, event, effects, now);
  await saveStep(deps.db, { ...record, ...also });
  slot.current = after;
  logStep(record);
}

/** One line for each step: with it an execution's id leads to its jobs' ids, and those to agents. */
function logStep({ after, eventType, orders, endedJob }: StepRecord): void {
  logInfo("an execution took a step", {
    executionId: after.id,
    workflowId: after.workflowId,
    event: eventType,
    status: after.status,
    ...(orders.length === 0
      ? {}
      : {
          orderedJobIds: orders
            .slice(0, JOBS_LOGGED_MAX)
            .map((job) => job.jobId)
            .join(","),
        }),
    ...(endedJob === null ? {} : { endedJobId: endedJob.jobId, jobStatus: endedJob.status, agentId: endedJob.agentId }),
  });
}

/** Reads what was last committed. What it brought about may not have been told: the object may have been restarted. */
export async function load(deps: Deps, slot: RunSlot, executionId: string): Promise<StoredExecution | null> {
  slot.current = await loadExecution(deps.db, executionId);
  if (slot.current !== null) slot.told = false;
  return slot.current;
}

function toRecord(
  before: ExecutionState | null,
  after: ExecutionState,
  meta: ExecutionMeta,
  event: RunEvent,
  effects: readonly RunEffect[],
  at: number,
): StepRecord {
  const report: JobReport | null = event.type === "jobFinished" ? event.report : null;
  const isReordered = effects.some((effect) => effect.type === "reorderJob");
  return {
    before,
    after,
    meta,
    eventType: event.type,
    at,
    endedJob: isReordered ? null : report,
    reroutedJob: isReordered ? report : null,
    orders: effects.flatMap((effect) => (effect.type === "enqueueJob" ? [effect.order] : [])),
    cancelledJobIds: effects.flatMap((effect) => (effect.type === "cancelJob" ? [effect.jobId] : [])),
  };
}
