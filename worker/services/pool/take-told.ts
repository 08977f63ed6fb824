import { logWarning } from "../log.ts";
import { enqueueJobs } from "./enqueue.ts";
import type { Pool } from "./pool.ts";

const RETRY_AFTER_MS = 15_000;

/**
 * Tells libSQL which credentials agents have now, where that has changed (design 6), and takes in the jobs that bring the
 * rest to them. What could not be told is told again by the alarm.
 */
export async function passOnTold(pool: Pool): Promise<void> {
  const { timers, agents, world } = pool;
  timers.tellCredentialsAt = null;
  for (const agent of agents.members()) {
    const told = agents.untoldCredentials(agent);
    if (told === null) continue;
    try {
      const orders = await world.tellCredentials(agent.settings.agentId, told);
      agents.credentialsPassedOn(agent, told);
      enqueueJobs(pool, orders);
    } catch (error) {
      logWarning("an agent's credentials could not be recorded; it is tried again", {
        agentId: agent.settings.agentId,
        error: String(error),
      });
      tellCredentialsBy(pool, world.now() + RETRY_AFTER_MS);
    }
  }
}

export function tellCredentialsBy(pool: Pool, at: number): void {
  pool.timers.tellCredentialsAt = Math.min(pool.timers.tellCredentialsAt ?? at, at);
  pool.alarm.by(pool.timers.tellCredentialsAt);
}
