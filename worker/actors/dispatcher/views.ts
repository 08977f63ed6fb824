import type { PoolView } from "../../../schema/contract/management.ts";
import type { Waiting } from "../../../schema/contract/waiting.ts";
import type { AgentPresence, JobState } from "./rpc.ts";
import { healthParts, healthScore, lacksNewKey } from "./rules/health.ts";
import { timesOf } from "./rules/job.ts";
import { lossAhead } from "./rules/lost-job.ts";
import type { DeliveredStage } from "./rules/job.ts";
import type { Agent } from "./state/agent.ts";
import type { LiveJob } from "./state/live-job.ts";
import type { DispatcherState } from "./state/state.ts";
import { WaitingReasons } from "./state/waiting-reasons.ts";
import { begunAt } from "./step/leases.ts";

/** A longer queue is counted in full but shown only from its beginning. */
const MAX_WAITING_SHOWN = 500;
/** Longer than one lost heartbeat, which means nothing: while a job runs, heartbeats come every 30 s. */
const SILENCE_SHOWN_AFTER_MS = 45_000;

/** The view of an agent that its dispatcher does not know. */
export function neverHeard(agentId: string, lastHeartbeatAt: number | null): AgentPresence {
  const none = { finished: 0, succeeded: 0 };
  const health = { healthScore: healthScore(null, none), health: healthParts(null, none) };
  return { agentId, status: "Offline", ...health, lastHeartbeatAt, runningJobs: 0 };
}

export function presenceOf(
  { agents, jobs }: DispatcherState,
  agentIds: readonly string[],
  now: number,
  withJobs = false,
): AgentPresence[] {
  return agentIds.map((agentId) => {
    const agent = agents.get(agentId);
    if (agent === undefined) return neverHeard(agentId, null);
    return {
      agentId,
      ...agents.health(agent, now),
      lastHeartbeatAt: agents.heartbeatAt(agent),
      ...drainingOf(agent),
      ...(lacksNewKey(agent.presence) ? { rekeyed: true } : {}),
      runningJobs: jobs.countHeldBy(agentId),
      ...(withJobs ? { runningJobIds: jobs.heldBy(agentId).map(({ live }) => live.job.facts.jobId) } : {}),
    };
  });
}

export function viewPool(state: DispatcherState, poolId: string, now: number): PoolView {
  const { agents, jobs } = state;
  const rerouted = [...jobs.ended].filter(({ job: { stage } }) => stage.type === "ended" && stage.report.reroute);
  const reasons = new WaitingReasons(state, now);
  return {
    id: poolId,
    members: [...agents.members()].map((agent) => ({
      agentId: agent.settings.agentId,
      name: agent.settings.name,
      ...statusOf(agents.health(agent, now)),
      enabled: agent.settings.enabled,
      ...drainingOf(agent),
      runningJobs: jobs.countHeldBy(agent.settings.agentId),
      maxConcurrentJobs: agent.registration?.maxConcurrentJobs ?? null,
      lastHeartbeatAt: isoOrNull(agents.heartbeatAt(agent)),
    })),
    queueDepth: rerouted.length + jobs.queue.size,
    waiting: [...rerouted, ...jobs.waiting(MAX_WAITING_SHOWN)].slice(0, MAX_WAITING_SHOWN).map((live) => {
      const { code, detail: reason } = reasons.of(live);
      const { jobId, queuedAt } = live.job.facts;
      return { jobId, queuedAt: new Date(queuedAt).toISOString(), code, reason };
    }),
  };
}

/** The states of those jobs that this dispatcher knows. A rerouted job belongs to another dispatcher. */
export function jobStatesOf(state: DispatcherState, jobIds: readonly string[], now: number): JobState[] {
  const reasons = new WaitingReasons(state, now);
  return jobIds.flatMap((jobId): JobState[] => {
    const live = state.jobs.get(jobId);
    if (live !== undefined) return [stateOf(state, live, reasons, now)];
    const past = state.jobs.finished(jobId).findLast(({ by }) => by !== "rerouted");
    if (past === undefined) return [];
    const { agentId, finishedAt } = past;
    const unknown = { queuedAt: null, assignedAt: null, deliveredAt: null, startedAt: null };
    const times = { ...unknown, finishedAt, reportedAt: finishedAt };
    return [{ jobId, status: "finished", agentId, waiting: null, times }];
  });
}

function stateOf(state: DispatcherState, live: LiveJob, reasons: WaitingReasons, now: number): JobState {
  const { facts, stage } = live.job;
  const { jobId, assignments } = facts;
  const shown = { jobId, times: timesOf(live.job), ...(assignments === undefined ? {} : { assignments }) };
  switch (stage.type) {
    case "queued":
      return { ...shown, status: "queued", agentId: null, waiting: reasons.of(live) };
    case "reserved":
      return { ...shown, status: "assigned", agentId: stage.agentId, waiting: reasons.of(live) };
    case "delivered": {
      const times = { ...shown.times, startedAt: begunAt(live) };
      const waiting = silentReason(state, live, stage.agentId, now) ?? missedReason(state, live, stage);
      return { ...shown, times, status: "delivered", agentId: stage.agentId, waiting };
    }
    case "ended":
      if (stage.report.reroute !== undefined) {
        return { ...shown, status: "queued", agentId: null, waiting: reasons.of(live) };
      }
      return { ...shown, status: "finished", agentId: stage.report.agentId, waiting: null };
  }
}

/** The agent polls and does not report the delivered job: the answer was lost, or the agent cannot have the job now. */
function missedReason({ agents }: DispatcherState, { lastReport }: LiveJob, stage: DeliveredStage): Waiting | null {
  const { agentId, lease } = stage;
  const agent = agents.get(agentId);
  if (agent === undefined || lastReport?.lease !== lease || lastReport.missedAt === null) return null;
  const { name, enabled } = agent.settings;
  const next = enabled
    ? "the job is sent again with the next poll"
    : "the agent is disabled, so the job is not sent again";
  const detail = `Agent ${name} reports that it does not have the job: ${next}.`;
  return { code: "not_received", agents: [{ id: agentId, name }], detail };
}

/** The agent is silent, so the progress of its job is unknown. */
function silentReason({ agents }: DispatcherState, live: LiveJob, agentId: string, now: number): Waiting | null {
  const agent = agents.get(agentId);
  // A result that is being reported ends the job, however long its agent is silent.
  if (agent === undefined || live.isReporting) return null;
  const heardAt = agents.heardAt(agent);
  const silentMs = now - heardAt;
  if (silentMs < SILENCE_SHOWN_AFTER_MS) return null;
  const { name } = agent.settings;
  const ago = `${Math.floor(silentMs / 1_000)} s ago`;
  const heard =
    heardAt === agents.graceFrom
      ? `The service was away and came back ${ago}. Agent ${name} has not called since then.`
      : `Agent ${name} was last heard from ${ago}.`;
  const detail = `${heard} ${lossAhead(live.job)}`;
  return { code: "agent_silent", agents: [{ id: agentId, name }], detail };
}

function statusOf({ status, healthScore }: ReturnType<DispatcherState["agents"]["health"]>) {
  return { status, healthScore };
}

function drainingOf({ presence }: Agent): { draining?: true } {
  return presence.draining === true ? { draining: true } : {};
}

function isoOrNull(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString();
}
