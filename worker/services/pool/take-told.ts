import { logWarning } from "../log.ts";
import type { PoolAgent } from "./agent-book.ts";
import { enqueueJobs } from "./enqueue.ts";
import type { Pool } from "./pool.ts";

const RETRY_AFTER_MS = 15_000;

/**
 * Tells libSQL which credentials agents have now, where that has changed (design 6), and takes in the jobs that bring the
 * rest to them. What could not be told is told again by the alarm.
 */
export async function passOnTold(pool: Pool): Promise<void> {
  pool.timers.tellCredentialsAt = null;
  await Promise.all(pool.agents.members().map((agent) => passOnToldOf(pool, agent)));
}

/** One call at a time for each agent: an older word that arrived after a newer one would stay. */
async function passOnToldOf(pool: Pool, agent: PoolAgent): Promise<void> {
  const { agents, world } = pool;
  if (agent.isTelling) return;
  agent.isTelling = true;
  try {
    for (let told = agents.untoldCredentials(agent); told !== null; told = agents.untoldCredentials(agent)) {
      const orders = await world.tellCredentials(agent.settings.agentId, told);
      agents.credentialsPassedOn(agent, told);
      enqueueJobs(pool, orders);
    }
  } catch (error) {
    logWarning("an agent's credentials could not be recorded; it is tried again", {
      agentId: agent.settings.agentId,
      error: String(error),
    });
    tellCredentialsBy(pool, world.now() + RETRY_AFTER_MS);
  } finally {
    agent.isTelling = false;
  }
}

export function tellCredentialsBy(pool: Pool, at: number): void {
  pool.timers.tellCredentialsAt = Math.min(pool.timers.tellCredentialsAt ?? at, at);
  pool.alarm.by(pool.timers.tellCredentialsAt);
}
