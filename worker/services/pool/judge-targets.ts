import { targetMismatch } from "../../domain/credential/usable.ts";
import type { JobConnection } from "../../actors/dispatcher/rules/job-connection.ts";
import type { PoolAgent } from "./pool-agent.ts";
import type { Pool } from "./pool.ts";

/**
 * Compares what agents hold for these connections, read just now, with where the connections lead. `of` is the agent that
 * they were read for; null for all of the Pool. An agent whose credential is for another target does not count as having
 * it: it must not send the secret there.
 */
export function judgeTargets(pool: Pool, connections: Iterable<JobConnection>, of: PoolAgent | null): void {
  for (const connection of connections) {
    if (of !== null) judgeTarget(pool, connection, of);
    else {
      for (const agentId of pool.agents.holdersOf(connection.id)) {
        const agent = pool.agents.get(agentId);
        if (agent !== undefined) judgeTarget(pool, connection, agent);
      }
    }
  }
}

/** Notes which of an agent's credentials must not be used, and has its place among those that take jobs looked at. */
export function noteUnusable(pool: Pool, agent: PoolAgent, unusable: ReadonlySet<string>): void {
  if (pool.agents.setUnusable(agent, unusable)) pool.changed.add(agent.settings.agentId);
}

function judgeTarget(pool: Pool, { id, wanted }: JobConnection, agent: PoolAgent): void {
  const held = agent.credentials.get(id);
  if (held === undefined) return;
  const mismatch = wanted === null ? null : targetMismatch(held, wanted(agent.settings.agentId));
  if (agent.unusable.has(id) === (mismatch !== null)) return;
  const others = [...agent.unusable].filter((connectionId) => connectionId !== id);
  noteUnusable(pool, agent, new Set(mismatch === null ? others : [...others, id]));
}
