import { isPolling } from "../../domain/dispatch.ts";
import type { Seat, WaitingJob } from "../../domain/dispatch.ts";
import type { PoolAgent } from "./agent-book.ts";
import type { LiveJob } from "./job-book.ts";
import type { Pool } from "./pool.ts";

/** Every agent of the Pool as dispatch sees it. */
export function seatsOf(pool: Pool, now: number): Seat[] {
  return pool.agents.members().map((agent) => {
    const { agentId } = agent.settings;
    const running = pool.jobs.countHeldBy(agentId) + pool.jobs.countAssignedTo(agentId);
    const room = agent.registration === null || agent.toldFull ? 0 : agent.registration.maxConcurrentJobs - running;
    return seatOf(pool, agent, { running, room }, now);
  });
}

/** One agent with the room that it has by its own word. */
export function seatOf(pool: Pool, agent: PoolAgent, load: { running: number; room: number }, now: number): Seat {
  const { settings, registration, presence, credentials, lastBusyAt } = agent;
  return {
    agentId: settings.agentId,
    name: settings.name,
    registered: registration !== null,
    enabled: settings.enabled,
    polling: registration !== null && isPolling(presence.lastPollAt, registration.pollIntervalMs, now),
    runningJobs: load.running,
    room: load.room,
    lastBusyAt,
    credentials,
    ...pool.agents.health(agent, now),
  };
}

export function toWaitingJob({ job, needsCredential }: LiveJob): WaitingJob {
  const { jobId, connectionId, pinnedAgentId, secretsFrom } = job.facts;
  return {
    jobId,
    connectionId,
    pinnedAgentId,
    needsCredential: needsCredential ?? false,
    secretsFrom,
    assignedTo: job.stage.type === "assigned" ? job.stage.agentId : null,
  };
}
