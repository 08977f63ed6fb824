import { OFFLINE_AFTER_MS } from "../../../schema/limits.ts";
import { goesOn, lossWords, loseJob } from "../../actors/dispatcher/rules/lost-job.ts";
import type { Loss, LossCause } from "../../actors/dispatcher/rules/lost-job.ts";
import { logWarning } from "../log.ts";
import type { AgentBook } from "./agent-book.ts";
import { begunAt } from "./held-leases.ts";
import type { LiveJob } from "./job-book.ts";
import type { Pool } from "./pool.ts";
import { tellToPoll } from "./tell-to-poll.ts";

/**
 * From when a job counts as lost (epoch ms; 0 for at once): its agent has been silent for 90 s, or has said for as long
 * that it does not have it, has another journal now, or is no more. Null for a job that no agent holds.
 */
export function lostFrom(live: LiveJob, agents: AgentBook): number | null {
  const cause = causeFor(live, agents);
  return cause === null ? null : countsFrom(cause);
}

function countsFrom(cause: LossCause): number {
  return "since" in cause ? cause.since + OFFLINE_AFTER_MS : 0;
}

/** Why the job is lost, or will be when nothing is heard. */
function causeFor({ job: { stage }, sight }: LiveJob, agents: AgentBook): LossCause | null {
  if (stage.type !== "delivered") return null;
  const agent = agents.get(stage.agentId);
  if (agent === undefined || agent.settings.removed) return { type: "deleted" };
  if (agent.registration?.journalId !== stage.journalId) return { type: "other_journal" };
  const heardAt = Math.max(agent.presence.lastSeenAt ?? 0, agents.graceFrom ?? 0);
  // It is sent again with every poll that may have it: 90 s without are no lost answer any more.
  const missedAt = sight?.lease === stage.lease ? sight.missedAt : null;
  return missedAt !== null && missedAt < heardAt
    ? { type: "not_held", since: missedAt }
    : { type: "silent", since: heardAt };
}

/** Gives up the jobs of one agent that are lost by now. A job whose result is being told is not. */
export function loseJobsOf(pool: Pool, agentId: string, now: number): void {
  let hasLost = false;
  for (const { live } of pool.jobs.heldBy(agentId)) {
    const cause = causeFor(live, pool.agents);
    if (live.busy !== null || cause === null || countsFrom(cause) > now) continue;
    const agent = pool.agents.get(agentId)?.settings ?? { name: agentId, enabled: false };
    loseFrom(pool, live, { agentId, loss: "gone", what: lossWords(agent, cause, now) });
    hasLost = true;
  }
  // Should it be there after all, it is to stop.
  if (hasLost) tellToPoll(pool, [agentId]);
}

/** One job is lost. For the agent that lost it that counts as a failure: the next healthiest one is another. */
export function loseFrom(
  pool: Pool,
  live: LiveJob,
  { agentId, loss, what }: { agentId: string; loss: Loss; what: string },
): void {
  const now = pool.world.now();
  const { jobId, effect, kind } = live.job.facts;
  const goes = goesOn(live.job);
  logWarning(goes ? "a job was lost with its agent and is given out again" : "a job was lost with its agent", {
    jobId,
    agentId,
    effect,
    loss,
    what,
  });
  pool.jobs.change(live, loseJob(live.job, { loss, what, begunAt: begunAt(live) }, now));
  if (goes && kind === "action") pool.agents.get(agentId)?.outcomes.add(false, now);
}
