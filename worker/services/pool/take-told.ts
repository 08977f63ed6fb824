import { logWarning } from "../log.ts";
import type { PoolAgent } from "./pool-agent.ts";
import { dispatchWaiting } from "./dispatch-waiting.ts";
import { enqueueJobs } from "./enqueue.ts";
import { noteUnusable } from "./judge-targets.ts";
import type { Pool } from "./pool.ts";

const RETRY_AFTER_MS = 15_000;
/** Thousands of agents may come at once, as after an outage. */
const AT_ONCE = 8;
/** After so many it is libSQL, not an agent. */
const FAILURES_MAX = 3;

/**
 * Tells libSQL which credentials agents have now, where that has changed (design 6), and takes in the jobs that bring the
 * rest to them. What could not be told is told again by the alarm.
 */
export async function passOnTold(pool: Pool): Promise<void> {
  const { agents, timers, world } = pool;
  timers.tellCredentialsAt = null;
  // The round that is under way takes what has come meanwhile.
  if (timers.isTelling) return;
  timers.isTelling = true;
  const failed = new Map<string, unknown>();
  try {
    await Promise.all(Array.from({ length: AT_ONCE }, () => passOnSome(pool, failed)));
  } finally {
    timers.isTelling = false;
  }
  const [first] = failed;
  // What came just as the round ended.
  if (first === undefined) return next(pool, failed) === null ? undefined : passOnTold(pool);
  logWarning("what credentials agents have could not be recorded; it is tried again", {
    agentId: first[0],
    agents: agents.told.untold.size,
    error: String(first[1]),
  });
  tellCredentialsBy(pool, world.now() + RETRY_AFTER_MS);
}

export function tellCredentialsBy(pool: Pool, at: number): void {
  pool.timers.tellCredentialsAt = Math.min(pool.timers.tellCredentialsAt ?? at, at);
  pool.alarm.by(pool.timers.tellCredentialsAt);
}

async function passOnSome(pool: Pool, failed: Map<string, unknown>): Promise<void> {
  for (let agent = next(pool, failed); agent !== null; agent = next(pool, failed)) {
    const { agentId } = agent.settings;
    try {
      await passOnToldOf(pool, agent);
    } catch (error) {
      failed.set(agentId, error);
    }
  }
}

function next({ agents }: Pool, failed: ReadonlyMap<string, unknown>): PoolAgent | null {
  if (failed.size >= FAILURES_MAX) return null;
  for (const agentId of agents.told.untold) {
    const agent = agents.get(agentId);
    if (agent !== undefined && !agent.isTelling && !agent.settings.removed && !failed.has(agentId)) return agent;
  }
  return null;
}

/** One call at a time for each agent: an older word that arrived after a newer one would stay. */
async function passOnToldOf(pool: Pool, agent: PoolAgent): Promise<void> {
  agent.isTelling = true;
  try {
    const told = agent.credentials;
    const { orders, unusable } = await pool.world.tellCredentials(agent.settings.agentId, told);
    pool.agents.credentialsPassedOn(agent, told);
    if (agent.credentials === told) noteUnusable(pool, agent, new Set(unusable));
    enqueueJobs(pool, orders);
    dispatchWaiting(pool);
  } finally {
    agent.isTelling = false;
  }
}
