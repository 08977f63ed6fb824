import { logWarning } from "../log.ts";
import type { LiveJob } from "./job-book.ts";
import type { Pool } from "./pool.ts";

const RETRY_MS = 5_000;
const MAX_AT_ONCE = 100;

/**
 * Has libSQL know which jobs came here from other Pools. Until it does, whoever looks for one is sent on from where it was;
 * one that ends first needs no record of its way. Never throws; what could not be written is tried again by the alarm.
 */
export async function recordMoves(pool: Pool): Promise<void> {
  const { timers, jobs, world } = pool;
  timers.recordMovesAt = jobs.moveUnrecorded.size === 0 ? null : world.now() + RETRY_MS;
  // Should the object end half-way, the alarm goes on.
  if (timers.recordMovesAt !== null) pool.alarm.by(timers.recordMovesAt);
  // Whoever is at it takes what came since.
  if (timers.isRecordingMoves) return;
  timers.isRecordingMoves = true;
  try {
    while (jobs.moveUnrecorded.size > 0) await record(pool, [...jobs.moveUnrecorded].slice(0, MAX_AT_ONCE));
    timers.recordMovesAt = null;
  } catch (error) {
    logWarning("where jobs are now could not be recorded; it is tried again", { error: String(error) });
  } finally {
    timers.isRecordingMoves = false;
  }
}

async function record({ jobs, world }: Pool, moved: readonly LiveJob[]): Promise<void> {
  await world.recordMoves(
    moved.map(({ job: { facts } }) => ({
      jobId: facts.jobId,
      attempt: facts.attempt,
      poolObject: facts.poolObject,
      pinnedAgentId: facts.pinnedAgentId,
      moves: facts.moves ?? 0,
    })),
  );
  for (const live of moved) {
    const { facts, stage } = live.job;
    const { moveUnrecorded: _recorded, ...rest } = facts;
    jobs.change(live, { facts: rest, stage });
  }
}
