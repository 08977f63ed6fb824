import type { AgentFeature } from "../../../../schema/contract/agent.ts";
import { isUsableIn, mayRun } from "../../../domain/credential/may-use.ts";
import { targetMismatch } from "../../../domain/credential/usable.ts";
import type { ConnectionSnapshot } from "../events.ts";
import { couldDoWithout, featuresFor, isOutdated, judgeConnection, outdated } from "../rules/job-connection.ts";
import type { ConnectionVerdict, JobConnection } from "../rules/job-connection.ts";
import { endJob, releaseJob, rerouteJob } from "../rules/job.ts";
import type { JobFacts } from "../rules/job.ts";
import type { Agent } from "../state/agent.ts";
import type { LiveJob } from "../state/live-job.ts";
import type { DispatcherState, Timers } from "../state/state.ts";
import type { Handler } from "./handler.ts";

/** The delay before libSQL is asked again after it did not answer. */
const AGAIN_AFTER_MS = 5_000;

/** The connections of all waiting jobs were read, and those that were edited. */
export const waitingReviewed: Handler<"waitingReviewed"> = (state, { review, snapshot }, now) => {
  if (noteAnswer(state, snapshot, now)) {
    judgeTargets(state, snapshot.connections.values(), null);
    for (const live of review.jobs) applyConnection(state, live, snapshot, now);
  } else for (const connectionId of review.edited) state.timers.edited.add(connectionId);
  return () => {};
};

/** Schedules a review of waiting jobs at `at` (epoch ms) or earlier. */
export function reviewBy(timers: Timers, at: number): void {
  timers.reviewAt = Math.min(timers.reviewAt ?? at, at);
}

/** Records whether libSQL answered. If it did not (false), nothing is decided and the jobs wait. */
export function noteAnswer(
  { timers, jobs, changed }: DispatcherState,
  snapshot: ConnectionSnapshot | null,
  now: number,
): snapshot is ConnectionSnapshot {
  const wasSilent = timers.databaseSilent;
  timers.databaseSilent = snapshot === null;
  if (snapshot === null) reviewBy(timers, now + AGAIN_AFTER_MS);
  // Jobs that could not be delivered meanwhile would wait for polls, which may be far off: wake those agents.
  else if (wasSilent) for (const agentId of jobs.reservedAgents()) changed.add(agentId);
  return snapshot !== null;
}

/**
 * Applies a waiting job's connections: the job may run here (true), ends, or is rerouted to the present dispatcher of
 * its connection.
 */
export function applyConnection(
  state: DispatcherState,
  live: LiveJob,
  snapshot: ConnectionSnapshot,
  now: number,
): boolean {
  const { jobs } = state;
  const { type } = live.job.stage;
  if (!jobs.isCurrent(live) || (type !== "queued" && type !== "reserved")) return false;
  const verdict = verdictOn(state, live, snapshot);
  if (verdict.type === "end") jobs.change(live, endJob(live.job, verdict.end, now, verdict.why));
  if (verdict.type === "reroute") jobs.change(live, rerouteJob(live.job, verdict, now));
  if (verdict.type !== "run") return false;
  jobs.learn(live, needsCredential(state, live, verdict));
  const { connection } = connectionsOf(live, snapshot);
  live.credentialIsOptional = connection !== null && couldDoWithout(connection);
  const { pinnedAgentId } = verdict;
  const features = featuresNow(live, snapshot);
  const { pinnedAgentId: pinnedBefore, features: featuresBefore = [] } = live.job.facts;
  if (pinnedAgentId !== pinnedBefore || features.join() !== featuresBefore.join()) {
    const { facts, stage } = releaseJob(live.job);
    jobs.change(live, { facts: { ...facts, pinnedAgentId, features }, stage });
  }
  return true;
}

/** The verdict on a job by its connections, or by the credential that it brings. */
export function verdictOn({ agents }: DispatcherState, live: LiveJob, snapshot: ConnectionSnapshot): ConnectionVerdict {
  const { facts } = live.job;
  const { jobId, secretsFrom, pinnedAgentId } = facts;
  if (isSync(live)) {
    if (agents.get(pinnedAgentId ?? "")?.settings.removed === true) return { type: "end", end: "agent_moved" };
    if (!snapshot.syncs.has(jobId)) return { type: "end", end: "credential_superseded" };
    // The agent of a sync was fixed when the job was made, and a withdrawal outlives its connection.
    return { type: "run", pinnedAgentId, needsCredential: false };
  }
  const { connection, secrets } = connectionsOf(live, snapshot);
  if (secretsFrom !== undefined && secrets?.enabled !== true) return { type: "end", end: "secrets_unavailable" };
  if (secrets !== null && isOutdated(facts, secrets)) return outdated(secrets);
  const notUsable = restrictedOf(facts, snapshot.connections).find(
    ({ usableBy }) => !mayRun(usableBy, facts, (person) => snapshot.roles.get(person) ?? null),
  );
  if (notUsable !== undefined)
    return { type: "end", end: "connection_not_usable", why: `The connection is ${notUsable.id}.` };
  return judgeConnection(facts, connection);
}

export function connectionsOf({ job: { facts } }: LiveJob, { connections }: ConnectionSnapshot) {
  return {
    connection: connections.get(facts.connectionId) ?? null,
    secrets: connections.get(facts.secretsFrom ?? "") ?? null,
  };
}

/** The features that an agent needs for the job, by its connections as just read. */
export function featuresNow(live: LiveJob, snapshot: ConnectionSnapshot): AgentFeature[] {
  const { connection, secrets } = connectionsOf(live, snapshot);
  return featuresFor(live.job.facts, [connection, secrets]);
}

/**
 * Whether a job waits for an agent that has the connection's credential for its present target. An older agent would
 * send its credential to any target, even for a job that needs none. A newer agent refuses, and its answer explains
 * what to do, so a test that no agent could pass goes to it.
 */
export function needsCredential(
  { agents }: DispatcherState,
  live: LiveJob,
  verdict: Extract<ConnectionVerdict, { type: "run" }>,
): boolean {
  if (isSync(live)) return false;
  const { connectionId, kind } = live.job.facts;
  const unusable = agents.credentials.unusableHoldersOf(connectionId);
  if (unusable.length === 0) return verdict.needsCredential;
  if (kind !== "connectionTest") return true;
  const isUsableByAny = agents.credentials.holdersOf(connectionId).size > unusable.length;
  return isUsableByAny || unusable.some(({ credentials }) => credentials.get(connectionId)?.target === undefined);
}

/**
 * Compares the credentials that agents hold for these connections with the present targets. `of` is the agent for which
 * they were read; null for all agents. An agent with a credential for another target does not count as a holder: it
 * must not send the secret there.
 */
export function judgeTargets(state: DispatcherState, connections: Iterable<JobConnection>, of: Agent | null): void {
  for (const connection of connections) {
    const holders =
      of === null ? [...state.agents.credentials.holdersOf(connection.id)].map((id) => state.agents.get(id)) : [of];
    for (const agent of holders) if (agent !== undefined) judgeTarget(state, connection, agent);
  }
}

/** Sets which of an agent's credentials must not be used. */
export function noteUnusable({ agents, changed }: DispatcherState, agent: Agent, unusable: ReadonlySet<string>): void {
  if (agents.setUnusable(agent, unusable)) changed.add(agent.settings.agentId);
}

/** The connections that a job names. */
export function connectionsNamedBy({ job: { facts } }: LiveJob): string[] {
  return facts.secretsFrom === undefined ? [facts.connectionId] : [facts.connectionId, facts.secretsFrom];
}

export function personToAsk({ job: { facts } }: LiveJob, connections: ReadonlyMap<string, JobConnection>): string[] {
  const { onBehalfOf = null } = facts;
  return onBehalfOf === null || restrictedOf(facts, connections).length === 0 ? [] : [onBehalfOf];
}

export function isSync({ job }: LiveJob): boolean {
  return job.facts.kind === "credentialSync";
}

/** The connections of a job whose `usableBy` does not name its workflow. */
function restrictedOf(facts: JobFacts, connections: ReadonlyMap<string, JobConnection>): JobConnection[] {
  if (facts.kind === "credentialSync") return [];
  return [facts.connectionId, facts.secretsFrom ?? ""].flatMap((id) => {
    const connection = connections.get(id);
    return connection === undefined || isUsableIn(connection.usableBy, facts.workflowId) ? [] : [connection];
  });
}

function judgeTarget(state: DispatcherState, { id, wanted }: JobConnection, agent: Agent): void {
  const held = agent.credentials.get(id);
  if (held === undefined) return;
  const mismatch = wanted === null ? null : targetMismatch(held, wanted(agent.settings.agentId));
  if (agent.unusable.has(id) === (mismatch !== null)) return;
  const unusable = new Set(agent.unusable);
  unusable[mismatch === null ? "delete" : "add"](id);
  noteUnusable(state, agent, unusable);
}
