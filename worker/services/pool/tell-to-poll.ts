import { logWarning } from "../log.ts";
import type { PoolAgent } from "./pool-agent.ts";
import type { Pool } from "./pool.ts";
import { pollingUntilOf } from "./seats.ts";
import { noteUnfetched } from "./unfetched.ts";

/** Tells agents to poll at once; the alarm sees to it that what is kept for them and they do not fetch goes back. */
export function tellToPoll(pool: Pool, agentIds: Iterable<string>): void {
  const askedAt = pool.world.now();
  const asked = [...agentIds].flatMap((agentId) => pool.agents.get(agentId) ?? []);
  for (const [shard, agents] of Map.groupBy(asked, ({ registration }) => registration?.shard ?? null)) {
    const ids = agents.map(({ settings }) => settings.agentId);
    if (shard === null) woken(pool, agents, { reached: pool.wakers.wake(ids), askedAt });
    else {
      woken(pool, agents, { reached: [], askedAt });
      pool.background(wakeByShard(pool, shard, { agents, ids, askedAt }));
    }
  }
}

/** Ends an agent's wake socket. Throws when it hangs on a shard that cannot be reached. */
export async function dropSocket(pool: Pool, { settings, registration }: PoolAgent): Promise<void> {
  const shard = registration?.shard ?? null;
  if (shard === null) pool.wakers.drop(settings.agentId);
  else await pool.world.dropByShard(shard, settings.agentId);
}

async function wakeByShard(
  pool: Pool,
  shard: string,
  { agents, ids, askedAt }: { agents: PoolAgent[]; ids: string[]; askedAt: number },
): Promise<void> {
  try {
    woken(pool, agents, { reached: await pool.world.wakeByShard(shard, ids), askedAt });
  } catch (error) {
    // It hears of it with what it says next of its agents.
    logWarning("a shard could not be told of jobs for its agents", { shard, error: String(error) });
  }
}

function woken(
  pool: Pool,
  agents: readonly PoolAgent[],
  { reached, askedAt }: { reached: readonly string[]; askedAt: number },
): void {
  const ids = new Set(reached);
  for (const agent of agents) {
    // One that has polled since has heard it, though word of that comes later.
    const hasPolled = (agent.presence.lastPollAt ?? 0) > askedAt;
    if (ids.has(agent.settings.agentId) && !hasPolled) agent.wokenAt ??= askedAt;
    noteUnfetched(pool, agent);
    const until = pollingUntilOf(agent);
    if (until !== null) pool.alarm.by(until);
  }
}
