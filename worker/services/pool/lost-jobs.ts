import { OFFLINE_AFTER_MS } from "../../../schema/limits.ts";
import type { PoolJob } from "../../domain/job-lifecycle.ts";
import { loseJob } from "../../domain/lost-job.ts";
import type { AgentBook } from "./agent-book.ts";
import type { Pool } from "./pool.ts";

/**
 * From when a job counts as lost (epoch ms; 0 for at once): its agent has been silent for 90 s, has another journal now,
 * or is no more. Null for a job that no agent holds.
 */
export function lostFrom({ stage }: PoolJob, agents: AgentBook): number | null {
  if (stage.type !== "delivered") return null;
  const agent = agents.get(stage.agentId);
  if (agent === undefined || agent.settings.removed) return 0;
  if (agent.registration?.journalId !== stage.journalId) return 0;
  return Math.max(agent.presence.lastSeenAt ?? 0, agents.graceFrom ?? 0) + OFFLINE_AFTER_MS;
}

/** Gives up the jobs of one agent that are lost by now. A job whose result is being told is not. */
export function loseJobsOf(pool: Pool, agentId: string, now: number): void {
  for (const { live } of pool.jobs.heldBy(agentId)) {
    const from = lostFrom(live.job, pool.agents);
    if (live.busy === null && from !== null && from <= now) pool.jobs.change(live, loseJob(live.job, now));
  }
}
