import { obstacleButRoom } from "../../domain/dispatch.ts";
import type { WaitingJob } from "../../domain/dispatch.ts";
import { assignJob, releaseJob } from "../../domain/job-lifecycle.ts";
import type { LiveJob } from "./job-book.ts";
import type { Pool } from "./pool.ts";
import { pollingUntilOf, roomOf, seatOf, toWaitingJob } from "./seats.ts";
import { tellToPoll } from "./tell-to-poll.ts";

/**
 * Keeps every waiting job for the best agent that can have it (design 5, "Dispatch"), and wakes those that got one. What
 * was kept for an agent that cannot have it any more goes back first. It writes nothing: no agent knows of it before its
 * poll, and after a restart it is done anew. Called after whatever may have changed who can take what.
 */
export function dispatchWaiting(pool: Pool): void {
  const now = pool.world.now();
  releaseUnfetched(pool, now);
  for (const agentId of pool.changed) pool.ready.renew(agentId);
  pool.changed.clear();
  const woken = new Set<string>();
  // Of jobs that ask for the same, one that finds nobody speaks for those behind it.
  const stuck = new Set<string>();
  // A copy: keeping a job for somebody changes the queue.
  for (const live of pool.jobs.waiting().slice()) {
    if (live.busy !== null || live.job.stage.type !== "queued") continue;
    const job = toWaitingJob(live, pool.agents);
    if (pool.ready.size === 0 && job.pinnedAgentId === null) continue;
    const kind = kindOf(job);
    if (stuck.has(kind)) continue;
    const agentId = pool.ready.best(job);
    if (agentId === null) {
      stuck.add(kind);
      continue;
    }
    pool.jobs.reserve(live, assignJob(live.job, agentId, now));
    pool.ready.renew(agentId);
    woken.add(agentId);
  }
  pool.changed.clear();
  if (woken.size > 0) tellToPoll(pool, woken);
}

/** When a job that was kept for an agent goes back because that does not fetch it (epoch ms). */
export function* unfetchedTimes(pool: Pool): Generator<number | null> {
  for (const agentId of pool.jobs.assignees()) {
    const agent = pool.agents.get(agentId);
    yield agent === undefined ? 0 : (pollingUntilOf(agent) ?? 0);
  }
}

function releaseUnfetched(pool: Pool, now: number): void {
  for (const agentId of pool.jobs.assignees()) {
    const agent = pool.agents.get(agentId);
    const seat = agent === undefined || agent.settings.removed ? null : seatOf(pool, agent, now);
    for (const live of pool.jobs.assignedTo(agentId)) {
      const job = toWaitingJob(live, pool.agents);
      if (seat === null || obstacleButRoom(job, seat) !== null) pool.jobs.reserve(live, releaseJob(live.job));
    }
    if (agent !== undefined) releaseBeyondRoom(pool, agent);
  }
}

/** What was kept for an agent beyond the room that it says it has goes to others; the newest first. */
export function releaseBeyondRoom(pool: Pool, agent: Parameters<typeof roomOf>[1]): void {
  const tooMany = -roomOf(pool, agent);
  if (tooMany <= 0) return;
  const kept = inQueueOrder(pool.jobs.assignedTo(agent.settings.agentId));
  for (const live of kept.slice(-tooMany)) pool.jobs.reserve(live, releaseJob(live.job));
}

export function inQueueOrder(jobs: readonly LiveJob[]): LiveJob[] {
  return jobs.toSorted((a, b) => a.job.facts.queuedAt - b.job.facts.queuedAt || a.seq - b.seq);
}

function kindOf({ connectionId, pinnedAgentId, needsCredential, secretsFrom }: WaitingJob): string {
  const connection = needsCredential ? connectionId : "";
  return `${pinnedAgentId ?? ""} ${connection} ${secretsFrom ?? ""}`;
}
