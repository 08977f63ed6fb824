import type { Delivery } from "../events.ts";
import { inabilityFor } from "../../../domain/abilities.ts";
import { obstacleButRoom } from "../rules/candidate.ts";
import type { JobConnection } from "../rules/job-connection.ts";
import { deliverJob, endJob, redeliverJob, releaseJob } from "../rules/job.ts";
import type { DispatchJob } from "../rules/job.ts";
import { abilitiesOf, usableCredentials } from "../state/agent.ts";
import type { Agent } from "../state/agent.ts";
import { candidateOf, toWaitingJob } from "../state/candidates.ts";
import type { LiveJob } from "../state/live-job.ts";
import type { DispatcherState } from "../state/state.ts";
import { admit } from "./agent-calls.ts";
import type { AdmittedAgent } from "./agent-calls.ts";
import {
  applyConnection,
  connectionsOf,
  featuresNow,
  judgeTargets,
  needsCredential,
  noteAnswer,
  verdictOn,
} from "./connections.ts";
import { cancelledAmong, missingAmong } from "./leases.ts";
import type { Handler } from "./handler.ts";
import type { Event } from "../events.ts";

/** An answer holds at least one job, and more only up to this size: a call between objects carries 32 MiB. */
const MAX_ANSWER_CHARS = 8 * 1_024 * 1_024;

type ConnectionsRead = Event<"connectionsRead">;

/** The second half of a poll: delivers jobs, each under a lease. */
export const connectionsRead: Handler<"connectionsRead"> = (state, event, now) => {
  const { caller, request } = event.poll;
  const agent = state.agents.get(caller.agentId);
  if (agent !== undefined) agent.polls -= 1;
  state.changed.add(caller.agentId);
  const isAnswered = noteAnswer(state, event.snapshot, now);
  // Meanwhile another process may have registered, or a person may have disabled or deleted the agent.
  const admitted = admit(state, caller);
  if ("refused" in admitted) return () => admitted;
  const deliveries = isAnswered && admitted.agent.settings.enabled ? deliver(state, admitted, event, now) : [];
  return () => ({ deliveries, cancelled: cancelledAmong(state, caller.agentId, request.held) });
};

function deliver(state: DispatcherState, admitted: AdmittedAgent, event: ConnectionsRead, now: number): Delivery[] {
  const { poll, jobs, snapshot, leases } = event;
  const { agent } = admitted;
  const { agentId } = agent.settings;
  if (snapshot === null) return [];
  judgeTargets(state, snapshot.connections.values(), agent);
  const missing = new Set(missingAmong(state, agentId, poll.request.held).map(({ live }) => live));
  const deliveries: Delivery[] = [];
  let chars = 0;
  const give = (live: LiveJob, job: DispatchJob, lease: string): boolean => {
    const sync = snapshot.syncs.get(live.job.facts.jobId) ?? null;
    const size = live.job.facts.payloadChars + (sync?.params.jwe?.length ?? 0);
    if (deliveries.length > 0 && chars + size > MAX_ANSWER_CHARS) return false;
    chars += size;
    const { connection, secrets } = connectionsOf(live, snapshot);
    state.jobs.change(live, job);
    deliveries.push({ live, lease, connection, secretsConnection: secrets, sync });
    return true;
  };
  for (const live of jobs) {
    const { stage } = live.job;
    if (stage.type === "delivered") {
      if (missing.has(live) && mayHaveAgain(state, live, agent, event, now))
        give(live, redeliverJob(live.job, now), stage.lease);
      continue;
    }
    if (stage.type !== "reserved" || stage.agentId !== agentId || !applyConnection(state, live, snapshot, now))
      continue;
    // The connection may now need another agent, or a credential that this agent lacks.
    const isFree = obstacleButRoom(toWaitingJob(live, state.agents), candidateOf(state, agent, now)) === null;
    const lease = leases();
    const holder = { agentId, journalId: admitted.registration.journalId, lease };
    if (!isFree || mayHoldFormer(agent, connectionsOf(live, snapshot).connection))
      state.jobs.reserve(live, releaseJob(live.job));
    else if (give(live, deliverJob(live.job, holder, now), lease) && agent.reportedRoom !== null)
      agent.reportedRoom -= 1;
  }
  return deliveries;
}

/** The agent has not begun the job, so a connection that was disabled or deleted meanwhile ends it. */
function mayHaveAgain(
  state: DispatcherState,
  live: LiveJob,
  agent: Agent,
  { snapshot }: ConnectionsRead,
  now: number,
): boolean {
  if (snapshot === null) return false;
  const { facts } = live.job;
  const credentials = usableCredentials(agent);
  const verdict = verdictOn(state, live, snapshot);
  if (verdict.type === "end") state.jobs.change(live, endJob(live.job, verdict.end, now, verdict.why));
  if (verdict.type === "end") return false;
  if (inabilityFor({ ...facts, features: featuresNow(live, snapshot) }, abilitiesOf(agent)) !== null) return false;
  const isInNeed = verdict.type === "run" && needsCredential(state, live, verdict);
  if (isInNeed && !credentials.has(facts.connectionId)) return false;
  return facts.secretsFrom === undefined || credentials.has(facts.secretsFrom);
}

/** An older agent sends its credential wherever the connection leads, so it must report its credentials first. */
function mayHoldFormer(agent: Agent, connection: JobConnection | null): boolean {
  if (agent.hasReported || abilitiesOf(agent).features?.includes("boundCredentials") === true) return false;
  return (connection?.wanted?.(agent.settings.agentId).floor ?? 0) > 0;
}
