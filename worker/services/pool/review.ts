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
  if (waiting.length === 0) return;
  reviewBy(pool);
  const readings = await readConnectionsOf(pool, waiting);
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
