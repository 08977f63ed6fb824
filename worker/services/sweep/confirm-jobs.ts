import { confirmJobs, unconfirmedJobs } from "../../store/jobs.ts";
import type { UnconfirmedJob } from "../../store/jobs.ts";
import type { Deps } from "../deps.ts";
import { logWarning } from "../log.ts";
import { failureMessage } from "../../store/errors.ts";

const UNCONFIRMED_AFTER_MS = 60_000;
const MAX_AT_ONCE = 500;

/**
 * Finds jobs that were committed and never reached the dispatcher (a crash between the two, without a caller to try
 * again), and makes their executions order them again. A job that the dispatcher holds is checked once.
 */
export async function confirmOldJobs(deps: Deps): Promise<void> {
  const found = await unconfirmedJobs(deps.db, "queued", deps.now() - UNCONFIRMED_AFTER_MS, MAX_AT_ONCE);
  for (const [poolObject, jobs] of Map.groupBy(found, (job) => job.poolObject)) {
    try {
      const states = await deps.objects.dispatcher(poolObject).jobStates(jobs.map((job) => job.jobId));
      const held = new Set(states.map((state) => state.jobId));
      await confirmJobs(deps.db, [...held], deps.now(), poolObject);
      const missing = jobs.filter((job) => !held.has(job.jobId));
      // An execution orders its own jobs; a test or a credential has none, so its job is ordered from the record.
      const orphans = missing.filter(({ executionId }) => executionId === null);
      if (orphans.length > 0) await deps.objects.dispatcher(poolObject).enqueue(orphans.map(({ order }) => order));
      await notifyAgain(deps, missing);
    } catch (error) {
      logWarning("the sweeper could not look for jobs in a pool; it tries again in a minute", {
        poolObject,
        error: failureMessage(error),
      });
    }
  }
}

/**
 * Makes executions repeat a cancel: an agent would still run a job whose cancel was committed and then lost. Once for
 * each cancelled job.
 */
export async function confirmCancelledJobs(deps: Deps): Promise<void> {
  const found = await unconfirmedJobs(deps.db, "cancelled", deps.now() - UNCONFIRMED_AFTER_MS, MAX_AT_ONCE);
  for (const [executionId, jobs] of Map.groupBy(found, (job) => job.executionId)) {
    try {
      await notifyAgain(deps, jobs);
      await confirmJobs(
        deps.db,
        jobs.map((job) => job.jobId),
        deps.now(),
      );
    } catch (error) {
      logWarning("the sweeper could not repeat a cancellation; it tries again in a minute", {
        executionId,
        error: failureMessage(error),
      });
    }
  }
}

async function notifyAgain(deps: Deps, jobs: readonly UnconfirmedJob[]): Promise<void> {
  const executions = new Map<string, string>();
  for (const { executionId, order } of jobs) {
    if (executionId !== null && order.workflowId !== null) executions.set(executionId, order.workflowId);
  }
  for (const [executionId, workflowId] of executions) {
    await deps.objects.workflowRuns({ workflowId }).wake(executionId);
  }
}
