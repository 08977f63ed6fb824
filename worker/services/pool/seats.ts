import { pollingUntil } from "../../actors/dispatcher/rules/candidate.ts";
import type { HeldCredential } from "../../domain/credential/judge-told.ts";
import type { TargetMismatch } from "../../domain/credential/usable.ts";
import type { Seat, WaitingJob } from "../../actors/dispatcher/rules/candidate.ts";
import { abilitiesOf } from "./pool-agent.ts";
import type { PoolAgent } from "./pool-agent.ts";
import type { LiveJob } from "./job-book.ts";
import type { Pool } from "./pool.ts";

/** Every agent of the Pool as dispatch sees it. */
export function seatsOf(pool: Pool, now: number): Seat[] {
  return pool.agents.members().map((agent) => seatOf(pool, agent, now));
}

export function seatOf(pool: Pick<Pool, "agents" | "jobs">, agent: PoolAgent, now: number): Seat {
  const { settings, registration, credentials, unusable, lastBusyAt, presence } = agent;
  const { agentId } = settings;
  const { features, actions, types } = abilitiesOf(agent);
  const until = pollingUntilOf(agent);
  return {
    agentId,
    name: settings.name,
    registered: registration !== null,
    enabled: settings.enabled,
    draining: presence.draining ?? false,
    polling: until !== null && now < until,
    runningJobs: pool.jobs.countHeldBy(agentId) + pool.jobs.countAssignedTo(agentId),
    room: roomOf(pool, agent),
    lastBusyAt,
    credentials: unusable.size === 0 ? credentials : { has: (id) => credentials.has(id) && !unusable.has(id) },
    mismatchOf: (id) => (unusable.has(id) ? mismatchIn(credentials.get(id)) : null),
    features,
    actions,
    types,
    ...pool.agents.health(agent, now),
  };
}

/** Which it is shows in what the agent reports. */
function mismatchIn(held: HeldCredential | undefined): TargetMismatch {
  if (held?.target === undefined) return "delivered_before";
  return held.target === null ? "unbound" : "other_target";
}

/** How many more jobs may be kept for an agent: what it may run, and by its own word can, less what it has. */
export function roomOf({ jobs }: Pick<Pool, "jobs">, { settings, registration, toldRoom }: PoolAgent): number {
  if (registration === null) return 0;
  const places = registration.maxConcurrentJobs - jobs.countHeldBy(settings.agentId);
  return Math.min(places, toldRoom ?? places) - jobs.countAssignedTo(settings.agentId);
}

/** Until when an agent counts as asking for jobs (epoch ms); null when it never asked. */
export function pollingUntilOf({ registration, presence, wokenAt }: PoolAgent): number | null {
  return registration === null ? null : pollingUntil(presence.lastPollAt, registration.pollIntervalMs, wokenAt);
}

/**
 * Before its connection was read it is not known whether a job needs a credential: one that some agent has goes where
 * that is.
 */
export function toWaitingJob({ job, needsCredential }: LiveJob, agents: Pool["agents"]): WaitingJob {
  const { jobId, connectionId, pinnedAgentId, secretsFrom, action, testedType, features, lostBy } = job.facts;
  return {
    jobId,
    connectionId,
    pinnedAgentId,
    needsCredential: needsCredential ?? agents.holdersOf(connectionId).size > 0,
    secretsFrom,
    action,
    testedType,
    features,
    lostBy,
    assignedTo: job.stage.type === "assigned" ? job.stage.agentId : null,
  };
}
