import { OFFLINE_AFTER_MS } from "../../../schema/limits.ts";
import { goesOn, loseJob } from "../../domain/lost-job.ts";
import type { Loss } from "../../domain/lost-job.ts";
import { logWarning } from "../log.ts";
import type { AgentBook } from "./agent-book.ts";
import type { LiveJob } from "./job-book.ts";
import type { Pool } from "./pool.ts";
import { tellToPoll } from "./tell-to-poll.ts";

/**
 * From when a job counts as lost (epoch ms; 0 for at once): its agent has been silent for 90 s, or has said for as long
 * that it does not have it, has another journal now, or is no more. Null for a job that no agent holds.
 */
export function lostFrom({ job: { stage }, sight }: LiveJob, agents: AgentBook): number | null {
  if (stage.type !== "delivered") return null;
  const agent = agents.get(stage.agentId);
  if (agent === undefined) return 0;
  const { removed, moved = false } = agent.settings;
  // One that was moved is heard of by way of its new Pool.
  if (removed && !moved) return 0;
  if (agent.registration?.journalId !== stage.journalId) return 0;
  const heardAt = Math.max(agent.presence.lastSeenAt ?? 0, agents.graceFrom ?? 0);
  // It is sent again with every poll that may have it: 90 s without are no lost answer any more.
  const missedAt = sight?.lease === stage.lease ? sight.missedAt : null;
  return Math.min(heardAt, missedAt ?? heardAt) + OFFLINE_AFTER_MS;
}

/** Gives up the jobs of one agent that are lost by now. A job whose result is being told is not. */
export function loseJobsOf(pool: Pool, agentId: string, now: number): void {
  let hasLost = false;
  for (const { live } of pool.jobs.heldBy(agentId)) {
    const from = lostFrom(live, pool.agents);
    if (live.busy !== null || from === null || from > now) continue;
    loseFrom(pool, live, { agentId, loss: "gone" });
    hasLost = true;
  }
  // Should it be there after all, it is to stop.
  if (hasLost) tellToPoll(pool, [agentId]);
}

/** One job is lost. For the agent that lost it that counts as a failure: the next healthiest one is another. */
export function loseFrom(pool: Pool, live: LiveJob, { agentId, loss }: { agentId: string; loss: Loss }): void {
  const now = pool.world.now();
  const { jobId, effect, kind } = live.job.facts;
  const goes = goesOn(live.job);
  logWarning(goes ? "a job was lost with its agent and is given out again" : "a job was lost with its agent", {
    jobId,
    agentId,
    effect,
    loss,
  });
  pool.jobs.change(live, loseJob(live.job, loss, now));
  if (goes && kind === "action") pool.agents.get(agentId)?.outcomes.add(false, now);
}
