import { applyConnection } from "./apply-connection.ts";
import { dispatchWaiting } from "./dispatch-waiting.ts";
import { reviewBy } from "./pool.ts";
import type { Pool } from "./pool.ts";
import { readConnectionsOf } from "./read-connections.ts";
import { tellEnds } from "./tell-ends.ts";

/**
 * Looks at the connections of all jobs that wait. Polls do that for the jobs that they can take; what no agent can take
 * must still end, or move on, when its connection is disabled, deleted or assigned elsewhere.
 */
export async function reviewWaiting(pool: Pool): Promise<void> {
  pool.timers.reviewAt = null;
  const waiting = pool.jobs.waiting().filter((live) => live.busy === null);
  if (waiting.length === 0) {
    // Nobody looks at libSQL any more: what was the matter with it then says nothing of jobs to come.
    pool.timers.databaseSilent = false;
    return;
  }
  reviewBy(pool);
  const readings = await readConnectionsOf(pool, waiting, null);
  if (readings === null) return;
  const now = pool.world.now();
  for (const live of waiting) {
    const { stage } = live.job;
    if (live.busy !== null || (stage.type !== "queued" && stage.type !== "assigned")) continue;
    applyConnection(pool, live, readings, now);
  }
  dispatchWaiting(pool);
  await tellEnds(pool);
}

/** The same without delay, by the alarm: nobody waits for it. */
export function reviewSoon(pool: Pool): void {
  if (pool.jobs.waiting().length > 0) reviewBy(pool, pool.world.now());
}
