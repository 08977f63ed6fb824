import { skipRuns, workflowsWithoutNextRun } from "../../store/schedule.ts";
import type { Deps } from "../deps.ts";
import { logError } from "../log.ts";
import { nextRunOf } from "./next-run-of.ts";

const AT_ONCE = 200;

/**
 * Works out when schedules are next due of which nobody knows it, so that none stops silently. Publishing and activating
 * do that at once; this is for what was written past them.
 */
export async function mendNextRuns(deps: Deps, now: number): Promise<void> {
  for (const workflow of await workflowsWithoutNextRun(deps.db, AT_ONCE)) {
    try {
      const nextRunAt = nextRunOf(workflow.trigger, now);
      if (nextRunAt === null) continue;
      await skipRuns(deps.db, workflow, { dueAt: null, nextRunAt, missed: null, recordedAt: now });
    } catch (error) {
      logError("it cannot be said when a schedule is next due; publish the workflow anew", {
        workflowId: workflow.workflowId,
        error: String(error),
      });
    }
  }
}
