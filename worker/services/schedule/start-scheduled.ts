import { cronTriggerKey, decideRuns } from "../../domain/cron/decide-runs.ts";
import type { RunDecision, ScheduleMove } from "../../domain/cron/decide-runs.ts";
import { skipRuns } from "../../store/schedule.ts";
import type { DueWorkflow } from "../../store/schedule.ts";
import type { Deps } from "../deps.ts";
import { logError, logWarning } from "../log.ts";
import { failureMessage } from "../../store/errors.ts";

/**
 * Starts one due workflow, once, and moves its schedule on. Its `WorkflowRuns` writes both in one batch: a minute is
 * never started and still due, or neither. A workflow that was deactivated or unpublished since it was read is not
 * started (invariant 8). Never throws.
 */
export async function startScheduled(deps: Deps, due: DueWorkflow & { dueAt: number }, now: number): Promise<void> {
  const { workflowId, dueAt, trigger } = due;
  try {
    if (trigger.type !== "cron") throw new Error(`the published trigger is ${trigger.type}`);
    const decision = decideRuns(trigger, dueAt, now);
    const move = { dueAt, nextRunAt: decision.next, missed: decision.missed, recordedAt: now };
    const moved =
      decision.start === null ? await skipRuns(deps.db, due, move) : await startRun(deps, due, decision.start, move);
    if (moved) reportMissed(workflowId, decision);
  } catch (error) {
    logError("a scheduled run could not be started; while it is due, every tick tries it again", {
      workflowId,
      dueAt: new Date(dueAt).toISOString(),
      error: failureMessage(error),
    });
  }
}

async function startRun(deps: Deps, due: DueWorkflow, minute: number, schedule: ScheduleMove): Promise<boolean> {
  const { workflowId, versionId } = due;
  const executionId = deps.newId("execution");
  const started = await deps.objects.workflowRuns({ workflowId }).start({
    executionId,
    workflowId,
    versionId,
    trigger: { type: "cron", scheduledAt: new Date(minute).toISOString() },
    triggerKey: cronTriggerKey(minute),
    webhookKey: null,
    startedAt: deps.now(),
    schedule,
  });
  if (started.executionId === executionId) return true;
  // The minute was started before: by another tick, which moved the schedule, or before someone set the schedule back.
  return skipRuns(deps.db, due, schedule);
}

function reportMissed(workflowId: string, { start, missed }: RunDecision): void {
  if (missed === null) return;
  logWarning("scheduled runs were missed", {
    workflowId,
    count: missed.count,
    first: new Date(missed.first).toISOString(),
    last: new Date(missed.last).toISOString(),
    caughtUp: start === null ? null : new Date(start).toISOString(),
  });
}
