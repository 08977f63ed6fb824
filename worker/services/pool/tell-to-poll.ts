import type { Pool } from "./pool.ts";
import { pollingUntilOf } from "./seats.ts";
import { noteUnfetched } from "./unfetched.ts";

/** Tells agents to poll at once; the alarm sees to it that what is kept for them and they do not fetch goes back. */
export function tellToPoll(pool: Pool, agentIds: Iterable<string>): void {
  const askedAt = pool.world.now();
  const asked = [...agentIds].flatMap((agentId) => pool.agents.get(agentId) ?? []);
  const reached = new Set(pool.wakers.wake(asked.map(({ settings }) => settings.agentId)));
  for (const agent of asked) {
    if (reached.has(agent.settings.agentId)) agent.wokenAt ??= askedAt;
    noteUnfetched(pool, agent);
    const until = pollingUntilOf(agent);
    if (until !== null) pool.alarm.by(until);
  }
}
