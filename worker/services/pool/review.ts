import { applyConnection } from "./apply-connection.ts";
import { dispatchWaiting } from "./dispatch-waiting.ts";
import { reviewBy } from "./pool.ts";
import type { Pool } from "./pool.ts";
import { judgeTargets } from "./judge-targets.ts";
import { readConnectionsOf } from "./read-connections.ts";
import { tellEnds } from "./tell-ends.ts";

/**
 * Looks at the connections of all jobs that wait. Polls do that for the jobs that they can take; what no agent can take
 * must still end, or move on, when its connection is disabled, deleted or assigned elsewhere.
 */
export async function reviewWaiting(pool: Pool): Promise<void> {
  pool.timers.reviewAt = null;
  const waiting = pool.jobs.waiting().filter((live) => live.busy === null);
  const { edited } = pool.timers;
  if (waiting.length + edited.size === 0) {
    // Nobody looks at libSQL any more: what was the matter with it then says nothing of jobs to come.
    pool.timers.databaseSilent = false;
    return;
  }
  if (waiting.length > 0) reviewBy(pool);
  const also = [...edited];
  edited.clear();
  const readings = await readConnectionsOf(pool, waiting, null, also);
  if (readings === null) {
    for (const connectionId of also) edited.add(connectionId);
    return;
  }
  judgeTargets(pool, readings.connections.values(), null);
  const now = pool.world.now();
  for (const live of waiting) {
    const { stage } = live.job;
    if (live.busy !== null || (stage.type !== "queued" && stage.type !== "assigned")) continue;
    applyConnection(pool, live, readings, now);
  }
  dispatchWaiting(pool);
  await tellEnds(pool);
}

/** The same without delay, by the alarm: a connection was edited. Nobody waits for it. */
export function reviewSoon(pool: Pool, connectionId: string): void {
  const isHeld = pool.agents.holdersOf(connectionId).size > 0;
  if (isHeld) pool.timers.edited.add(connectionId);
  if (isHeld || pool.jobs.queue.size > 0) reviewBy(pool, pool.world.now());
}
