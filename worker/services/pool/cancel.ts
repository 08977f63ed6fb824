import { cancelJob, isWaiting } from "../../domain/job-lifecycle.ts";
import { dispatchWaiting } from "./dispatch-waiting.ts";
import type { Pool } from "./pool.ts";
import { tellEnds } from "./tell-ends.ts";
import { tellToPoll } from "./tell-to-poll.ts";

/**
 * Takes back what waits, and has the agent stop what was delivered. It does not wait for Run to hear of it: Run is the
 * one that asks, and no object waits for another that waits for it. What went to another Pool is cancelled there.
 */
export async function cancelJobs(pool: Pool, jobIds: readonly string[]): Promise<void> {
  const elsewhere: { jobId: string; poolObject: string }[] = [];
  for (const jobId of jobIds) {
    const live = pool.jobs.get(jobId);
    // It is just being handed to another Pool: whether it went decides where it is cancelled.
    if (live !== undefined && live.busy !== null && isWaiting(live.job)) await live.busy;
    const now = pool.world.now();
    const current = pool.jobs.get(jobId);
    if (current !== undefined) {
      pool.jobs.change(current, cancelJob(current.job, now));
      // Its agent hears of the cancel in the answer to its next call.
      if (current.job.stage.type === "delivered") tellToPoll(pool, [current.job.stage.agentId]);
    } else {
      const forwarded = pool.jobs.finished(jobId).find(({ by }) => by === "forwarded");
      if (forwarded?.forwardedTo != null) elsewhere.push({ jobId, poolObject: forwarded.forwardedTo });
    }
  }
  dispatchWaiting(pool);
  pool.background(tellEnds(pool));
  for (const [poolObject, jobs] of Map.groupBy(elsewhere, (job) => job.poolObject)) {
    await pool.world.cancelElsewhere(
      poolObject,
      jobs.map(({ jobId }) => jobId),
    );
  }
}
