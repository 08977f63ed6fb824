import type { JobOrder } from "../../domain/run-types.ts";
import { cancelJobs } from "./cancel.ts";
import { enqueueJobs } from "./enqueue.ts";
import type { Pool } from "./pool.ts";

/**
 * Takes a job over from the Pool that had it. Idempotent: one that is here, has ended here or has gone on from here is left
 * alone. With `cancelRequested` it is cancelled at once, wherever it is by now.
 */
export async function takeOver(pool: Pool, order: JobOrder, cancelRequested: boolean): Promise<void> {
  const { jobId, attempt } = order;
  const former = pool.jobs.get(jobId)?.job;
  // It comes back, and was cancelled here while it was on its way.
  const wasCancelled =
    former?.stage.type === "forwarding" && former.facts.attempt === attempt && former.stage.cancelRequested;
  enqueueJobs(pool, [order]);
  // Nothing waits in between, so that no agent gets it.
  if (cancelRequested || wasCancelled) await cancelJobs(pool, [jobId]);
}
