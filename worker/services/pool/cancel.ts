import { cancelJob } from "../../actors/dispatcher/rules/job.ts";
import { dispatchWaiting } from "./dispatch-waiting.ts";
import type { Pool } from "./pool.ts";
import { tellEnds } from "./tell-ends.ts";
import { tellToPoll } from "./tell-to-poll.ts";

/**
 * Takes back what waits, and has the agent stop what was delivered. It does not wait for Run to hear of it: Run is the
 * one that asks, and no object waits for another that waits for it.
 */
export function cancelJobs(pool: Pool, jobIds: readonly string[]): void {
  for (const jobId of jobIds) {
    const live = pool.jobs.get(jobId);
    if (live === undefined) continue;
    pool.jobs.change(live, cancelJob(live.job, pool.world.now()));
    const { stage } = live.job;
    // Its agent hears of the cancel in the answer to its next call.
    if (stage.type === "delivered") tellToPoll(pool, [stage.agentId]);
  }
  dispatchWaiting(pool);
  pool.background(tellEnds(pool));
}
