import type { HeldCredential } from "../../../domain/credential/judge-reported.ts";
import type { TargetMismatch } from "../../../domain/credential/usable.ts";
import type { Candidate, PooledJob } from "../rules/candidate.ts";
import { lacksNewKey } from "../rules/health.ts";
import { abilitiesOf } from "./agent.ts";
import type { Agent } from "./agent.ts";
import type { AgentRegistry } from "./agent-registry.ts";
import type { JobTable } from "./job-table.ts";
import type { LiveJob } from "./live-job.ts";

interface AgentsAndJobs {
  readonly agents: AgentRegistry;
  readonly jobs: JobTable;
}

/** An agent as a candidate for jobs. */
export function candidateOf(state: AgentsAndJobs, agent: Agent, now: number): Candidate {
  const { settings, registration, credentials, unusable, lastBusyAt, presence } = agent;
  const { agentId, name, enabled } = settings;
  const { features, actions, types } = abilitiesOf(agent);
  const until = state.agents.pollingUntil(agent);
  const heardAt = state.agents.heardAt(agent);
  return {
    agentId,
    name,
    registered: registration !== null,
    enabled,
    draining: presence.draining ?? false,
    rekeyed: lacksNewKey(presence),
    polling: until !== null && now < until,
    silentMs: heardAt === state.agents.graceFrom ? undefined : Math.max(0, now - heardAt),
    runningJobs: state.jobs.countHeldBy(agentId) + state.jobs.countReservedFor(agentId),
    room: roomOf(state, agent),
    lastBusyAt,
    credentials: unusable.size === 0 ? credentials : { has: (id) => credentials.has(id) && !unusable.has(id) },
    mismatchOf: (id) => (unusable.has(id) ? mismatchIn(credentials.get(id)) : null),
    features,
    actions,
    types,
    ...state.agents.health(agent, now),
  };
}

/** How many more jobs may be reserved for an agent: its free places or the room it reported, minus its reservations. */
export function roomOf({ jobs }: Pick<AgentsAndJobs, "jobs">, { settings, registration, reportedRoom }: Agent): number {
  if (registration === null) return 0;
  const places = registration.maxConcurrentJobs - jobs.countHeldBy(settings.agentId);
  return Math.min(places, reportedRoom ?? places) - jobs.countReservedFor(settings.agentId);
}

/**
 * A job as dispatch compares it. Until its connection has been read, the job is assumed to need a credential if any
 * agent holds one.
 */
export function toWaitingJob(
  { job, needsCredential, credentialIsOptional }: LiveJob,
  agents: AgentsAndJobs["agents"],
): PooledJob {
  return {
    ...job.facts,
    needsCredential: needsCredential ?? agents.credentials.holdersOf(job.facts.connectionId).size > 0,
    credentialIsOptional,
    reservedFor: job.stage.type === "reserved" ? job.stage.agentId : null,
  };
}

/** The agent's report shows the kind of mismatch. */
function mismatchIn(held: HeldCredential | undefined): TargetMismatch {
  if (held?.target === undefined) return "delivered_before";
  return held.target === null ? "unbound" : "other_target";
}
