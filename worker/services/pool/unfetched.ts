import { OFFLINE_AFTER_MS } from "../../../schema/limits.ts";
import { obstacleButRoom } from "../../actors/dispatcher/rules/candidate.ts";
import { releaseJob } from "../../actors/dispatcher/rules/job.ts";
import type { PoolAgent } from "./pool-agent.ts";
import { inQueueOrder } from "./job-queue.ts";
import type { Pool } from "./pool.ts";
import { pollingUntilOf, roomOf, seatOf, toWaitingJob } from "./seats.ts";

/**
 * What is kept for agents goes back when they cannot have it any more, or do not fetch it (design 3, "Pool → Run →
 * Pool"). Looks at those that have changed, and at those whose time is over.
 */
export function releaseUnfetched(pool: Pool, now: number): void {
  const { jobs, changed, unfetched } = pool;
  for (const agentId of unfetched.takeDue(now)) changed.add(agentId);
  for (const agentId of changed) {
    if (jobs.countAssignedTo(agentId) === 0) {
      unfetched.set(agentId, null);
      continue;
    }
    const agent = pool.agents.get(agentId);
    if (agent === undefined || agent.settings.removed) jobs.releaseAllOf(agentId);
    else releaseFrom(pool, agent, now);
  }
}

/** Called when jobs are kept for an agent, and whenever the time in which it is to fetch them changes. */
export function noteUnfetched({ jobs, agents, unfetched }: Pool, agent: PoolAgent): void {
  const { settings, presence } = agent;
  const isKept = jobs.countAssignedTo(settings.agentId) > 0;
  const heardAt = Math.max(presence.lastHeartbeatAt ?? 0, agents.graceFrom ?? 0);
  const until = Math.min(pollingUntilOf(agent) ?? 0, heardAt + OFFLINE_AFTER_MS);
  unfetched.set(settings.agentId, isKept ? until : null);
}

/** What was kept for an agent beyond the room that it says it has goes to others; the newest first. */
export function releaseBeyondRoom(pool: Pool, agent: PoolAgent): void {
  const tooMany = -roomOf(pool, agent);
  if (tooMany <= 0) return;
  const kept = inQueueOrder(pool.jobs.assignedTo(agent.settings.agentId));
  for (const live of kept.slice(-tooMany)) pool.jobs.reserve(live, releaseJob(live.job));
}

function releaseFrom(pool: Pool, agent: PoolAgent, now: number): void {
  const seat = seatOf(pool, agent, now);
  for (const live of pool.jobs.assignedTo(agent.settings.agentId)) {
    if (obstacleButRoom(toWaitingJob(live, pool.agents), seat) !== null) {
      pool.jobs.reserve(live, releaseJob(live.job));
    }
  }
  releaseBeyondRoom(pool, agent);
  noteUnfetched(pool, agent);
}
