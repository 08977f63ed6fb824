import { skipRuns, workflowsWithoutNextRun } from "../../store/schedule.ts";
import type { Deps } from "../deps.ts";
import { logError } from "../log.ts";
import { nextRunOf } from "./next-run-of.ts";
import { failureMessage } from "../../store/errors.ts";

const AT_ONCE = 200;

/**
 * Computes the next run of schedules that have none, so that no schedule stops silently. Publishing and activating set
 * it in their own write; this covers rows that were written by other means.
 */
export async function repairNextRuns(deps: Deps, now: number): Promise<void> {
  for (const workflow of await workflowsWithoutNextRun(deps.db, AT_ONCE)) {
    try {
      const nextRunAt = nextRunOf(workflow.trigger, now);
      if (nextRunAt === null) continue;
      await skipRuns(deps.db, workflow, { dueAt: null, nextRunAt, missed: null, recordedAt: now });
    } catch (error) {
      logError("the next run of a schedule could not be computed; publish the workflow again", {
        workflowId: workflow.workflowId,
        error: failureMessage(error),
      });
    }
  }
}
