import { cancelJob } from "../../domain/job-lifecycle.ts";
import { dispatchWaiting } from "./dispatch-waiting.ts";
import { handOver } from "./hand-over.ts";
import type { LiveJob } from "./job-book.ts";
import type { Pool } from "./pool.ts";
import { CALLS_AT_ONCE, inTurns, tellEnds } from "./tell-ends.ts";
import { tellToPoll } from "./tell-to-poll.ts";

/**
 * Takes back what waits, and has the agent stop what was delivered. It does not wait for Run to hear of it: Run is the
 * one that asks, and no object waits for another that waits for it. What went to another Pool is cancelled there.
 */
export async function cancelJobs(pool: Pool, jobIds: readonly string[]): Promise<void> {
  const going: LiveJob[] = [];
  const elsewhere: { jobId: string; poolObject: string }[] = [];
  for (const jobId of jobIds) {
    const live = pool.jobs.get(jobId);
    if (live !== undefined) {
      pool.jobs.change(live, cancelJob(live.job, pool.world.now()));
      const { stage } = live.job;
      // Its agent hears of the cancel in the answer to its next call.
      if (stage.type === "delivered") tellToPoll(pool, [stage.agentId]);
      // That this is on its way is on disk now. The other Pool may have the job; it hears of both at once.
      if (stage.type === "forwarding") going.push(live);
    } else {
      const poolObject = pool.jobs.sentOnTo(jobId);
      if (poolObject !== null) elsewhere.push({ jobId, poolObject });
    }
  }
  dispatchWaiting(pool);
  pool.background(tellEnds(pool));
  await inTurns(going, CALLS_AT_ONCE, (live) => handOver(pool, live));
  for (const [poolObject, jobs] of Map.groupBy(elsewhere, (job) => job.poolObject)) {
    await pool.world.cancelElsewhere(
      poolObject,
      jobs.map(({ jobId }) => jobId),
    );
  }
}
