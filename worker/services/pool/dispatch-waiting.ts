import { assignJob } from "../../actors/dispatcher/rules/job.ts";
import { abilitiesOf, usableCredentials } from "./pool-agent.ts";
import type { Pool } from "./pool.ts";
import { toWaitingJob } from "./seats.ts";
import { tellToPoll } from "./tell-to-poll.ts";
import { releaseUnfetched } from "./unfetched.ts";

/**
 * Keeps every waiting job for the best agent that can have it (design 5, "Dispatch"), and wakes those that got one. What
 * was kept for an agent that cannot have it any more goes back first. It writes nothing: no agent knows of it before its
 * poll, and after a restart it is done anew. Called after whatever may have changed who can take what; what it costs goes
 * by what has changed, not by how many jobs wait or agents there are.
 */
export function dispatchWaiting(pool: Pool): void {
  const now = pool.world.now();
  lookAtUnread(pool);
  releaseUnfetched(pool, now);
  renewChanged(pool);
  const woken = new Set<string>();
  const { queue } = pool.jobs;
  for (let live = queue.next; live !== undefined && pool.ready.size > 0; live = queue.next) {
    const agentId = pool.ready.best(toWaitingJob(live, pool.agents));
    if (agentId === null) {
      queue.setAside();
      continue;
    }
    pool.jobs.reserve(live, assignJob(live.job, agentId, now));
    pool.ready.renew(agentId);
    woken.add(agentId);
  }
  pool.changed.clear();
  if (woken.size > 0) tellToPoll(pool, woken);
}

/** By who has its credential a connection that was not read yet shows whether it needs one (`toWaitingJob`). */
function lookAtUnread({ agents, jobs, changed }: Pool): void {
  for (const connectionId of agents.told.takeTurned()) {
    jobs.queue.reopenUnread(connectionId);
    for (const agentId of jobs.assigneesOfUnread(connectionId)) changed.add(agentId);
  }
}

/** Whoever has room may have what found nobody before. */
function renewChanged({ agents, jobs, changed, ready }: Pool): void {
  for (const agentId of changed) {
    ready.renew(agentId);
    const agent = ready.has(agentId) ? agents.get(agentId) : undefined;
    if (agent === undefined) continue;
    jobs.queue.reopenFor(agentId, { credentials: usableCredentials(agent), abilities: abilitiesOf(agent) });
  }
  changed.clear();
}
