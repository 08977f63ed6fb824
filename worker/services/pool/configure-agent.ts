import { endJob } from "../../actors/dispatcher/rules/job.ts";
import type { AgentSettings } from "../ports.ts";
import { dispatchWaiting } from "./dispatch-waiting.ts";
import { loseJobsOf } from "./lost-jobs.ts";
import { reviewBy } from "./pool.ts";
import type { Pool } from "./pool.ts";
import { isSync } from "./read-connections.ts";
import { tellEnds } from "./tell-ends.ts";

/** A revocation reaches Pool before libSQL: soon after, libSQL says what becomes of the jobs pinned to that agent. */
const REVIEW_AFTER_REMOVAL_MS = 2_000;

/**
 * Takes an agent's settings over; they hold with its next call (invariant 8). Older ones than known are ignored. With
 * `onlyIdle` nothing is done while the agent holds jobs. Gives how many these are; 0 when it is done.
 */
export function configureAgent(pool: Pool, settings: AgentSettings, onlyIdle = false): number {
  const held = onlyIdle ? pool.jobs.countHeldBy(settings.agentId) : 0;
  if (held > 0) return held;
  const isNews = pool.agents.configure(settings, pool.world.now());
  const agent = pool.agents.get(settings.agentId);
  if (agent === undefined) return 0;
  pool.changed.add(settings.agentId);
  const { enabled, removed, rekeyed = false } = agent.settings;
  if (isNews && rekeyed) pool.agents.goneOffline(agent, "cutOff", pool.world.now());
  if (!enabled || removed || rekeyed) pool.jobs.releaseAllOf(settings.agentId);
  dispatchWaiting(pool);
  if (removed) giveUpJobsOf(pool, settings.agentId);
  // A key that is none any more must not keep a socket (invariant 8); who still has a right one opens another. Told again
  // when the first try failed: whoever configures repeats it until it is done.
  if (isNews || settings.epoch === agent.settings.epoch) pool.wakers.drop(settings.agentId);
  return 0;
}

function giveUpJobsOf(pool: Pool, agentId: string): void {
  const now = pool.world.now();
  loseJobsOf(pool, agentId, now);
  dispatchWaiting(pool);
  // Where the agent is now, they are ordered anew.
  const syncs = pool.jobs.waiting().filter((live) => isSync(live) && live.job.facts.pinnedAgentId === agentId);
  for (const live of syncs) pool.jobs.change(live, endJob(live.job, "agent_moved", now));
  pool.background(tellEnds(pool));
  if (pool.jobs.queue.size > 0) reviewBy(pool, now + REVIEW_AFTER_REMOVAL_MS);
}
