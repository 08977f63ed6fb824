import { movesOf } from "../../domain/job-lifecycle.ts";
import { logWarning } from "../log.ts";
import type { LiveJob } from "./job-book.ts";
import { nextPrune } from "./pool.ts";
import type { Pool } from "./pool.ts";
import { CALLS_AT_ONCE, inTurns } from "./tell-ends.ts";

const RETRY_MS = 5_000;
/** Should the object end half-way, its alarm goes on. */
const SAFETY_MS = 30_000;

/**
 * Hands a job to the Pool that its connection has now. From the first try on nobody gets it here, also after a restart: a
 * call that failed may have arrived, and that Pool may have given it out. So it is repeated until that Pool has said that
 * it has the job, which is the point of no return. False while it has not. One call at a time for each job.
 */
export function handOver(pool: Pool, live: LiveJob): Promise<boolean> {
  if (live.busy !== null) return live.busy;
  handOverBy(pool, pool.world.now() + SAFETY_MS);
  const busy = tell(pool, live).finally(() => {
    live.busy = null;
  });
  live.busy = busy;
  return busy;
}

/** Tries again what other Pools have not taken yet. */
export async function handOverAll(pool: Pool): Promise<void> {
  pool.timers.handOverAt = null;
  const going = pool.jobs.forwarding();
  if (going.length > 0) handOverBy(pool, pool.world.now() + SAFETY_MS);
  await inTurns(going, CALLS_AT_ONCE, (live) => handOver(pool, live));
}

async function tell(pool: Pool, live: LiveJob): Promise<boolean> {
  for (;;) {
    const { stage } = live.job;
    const stored = pool.jobs.orderOf(live);
    // A newer attempt came, or it was sent back already.
    if (stage.type !== "forwarding" || stored === null) return true;
    const { poolObject, pinnedAgentId, cancelRequested } = stage;
    const order = { ...stored.order, poolObject, pinnedAgentId, moves: movesOf(stored.order) + 1 };
    try {
      await pool.world.forward(order, cancelRequested);
    } catch (error) {
      const { jobId } = order;
      logWarning("a job could not be handed to its connection's new pool; it is tried again", {
        jobId,
        poolObject,
        error: String(error),
      });
      handOverBy(pool, pool.world.now() + RETRY_MS);
      return false;
    }
    // It was cancelled meanwhile: that Pool must know before this one forgets it.
    if (stage !== live.job.stage) continue;
    pool.jobs.finishForwarded(live, poolObject, { moves: order.moves, now: pool.world.now() });
    pool.timers.pruneAt ??= nextPrune(pool.storage);
    return true;
  }
}

function handOverBy({ timers, alarm }: Pool, at: number): void {
  timers.handOverAt = Math.min(timers.handOverAt ?? at, at);
  alarm.by(timers.handOverAt);
}
