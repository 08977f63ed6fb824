import type { PoolView } from "../../../schema/contract/management.ts";
import type { Waiting } from "../../../schema/contract/waiting.ts";
import { timesOf } from "../../actors/dispatcher/rules/job.ts";
import type { DeliveredStage } from "../../actors/dispatcher/rules/job.ts";
import type { WaitingReason } from "../../actors/dispatcher/rules/waiting-reason.ts";
import type { AgentPresence, JobState } from "../ports.ts";
import { begunAt } from "./held-leases.ts";
import { neverHeard } from "./never-heard.ts";
import type { LiveJob } from "./job-book.ts";
import type { PoolAgent } from "./pool-agent.ts";
import type { Pool } from "./pool.ts";
import { WaitingReasons } from "./waiting-reasons.ts";

/** Longer queues are counted whole, and shown from their beginning. */
const MAX_WAITING_SHOWN = 500;
/** One heartbeat that was lost is nothing yet: they come every 30 s. */
const SILENCE_SHOWN_AFTER_MS = 45_000;

export function presenceOf(pool: Pool, agentIds: readonly string[], withJobs = false): AgentPresence[] {
  const now = pool.world.now();
  return agentIds.map((agentId) => {
    const agent = pool.agents.get(agentId);
    if (agent === undefined) return neverHeard(agentId, null);
    return {
      agentId,
      ...pool.agents.health(agent, now),
      health: pool.agents.healthParts(agent, now),
      lastHeartbeatAt: agent.presence.lastHeartbeatAt,
      ...drainingOf(agent),
      runningJobs: pool.jobs.countHeldBy(agentId),
      ...(withJobs ? { runningJobIds: pool.jobs.heldBy(agentId).map(({ live }) => live.job.facts.jobId) } : {}),
    };
  });
}

function drainingOf({ presence }: PoolAgent): { draining?: true } {
  return presence.draining === true ? { draining: true } : {};
}

export function viewPool(pool: Pool, poolId: string): PoolView {
  const now = pool.world.now();
  const rerouted = pool.jobs.rerouted();
  const reasons = new WaitingReasons(pool, now);
  return {
    id: poolId,
    members: pool.agents.members().map((agent) => ({
      agentId: agent.settings.agentId,
      name: agent.settings.name,
      ...pool.agents.health(agent, now),
      enabled: agent.settings.enabled,
      ...drainingOf(agent),
      runningJobs: pool.jobs.countHeldBy(agent.settings.agentId),
      maxConcurrentJobs: agent.registration?.maxConcurrentJobs ?? null,
      lastHeartbeatAt:
        agent.presence.lastHeartbeatAt === null ? null : new Date(agent.presence.lastHeartbeatAt).toISOString(),
    })),
    queueDepth: rerouted.length + pool.jobs.queue.size,
    waiting: [...rerouted, ...pool.jobs.waiting(MAX_WAITING_SHOWN)].slice(0, MAX_WAITING_SHOWN).map((live) => {
      const { code, reason } = reasons.of(live);
      const { jobId, queuedAt } = live.job.facts;
      return { jobId, queuedAt: new Date(queuedAt).toISOString(), code, reason };
    }),
  };
}

/** An agent that asks for work and does not have what was sent to it: the answer was lost, or it may not have it now. */
function missedReason(pool: Pool, { sight }: LiveJob, { agentId, lease }: DeliveredStage): Waiting | null {
  if (sight?.lease !== lease || sight.missedAt === null) return null;
  const agent = pool.agents.get(agentId);
  if (agent === undefined) return null;
  const { name, enabled } = agent.settings;
  const next = enabled ? "it is sent again with its next poll" : "it is disabled and does not get it";
  const detail = `Agent ${name} says that it does not have it: ${next}.`;
  return { code: "not_received", agents: [{ id: agentId, name }], detail };
}

/** An agent that calls every few seconds and has not for longer: what it does with the job is not known. */
function silentReason(pool: Pool, { agentId }: DeliveredStage): Waiting | null {
  const agent = pool.agents.get(agentId);
  const heardAt = agent?.presence.lastSeenAt ?? null;
  if (agent === undefined || heardAt === null) return null;
  const silentMs = pool.world.now() - heardAt;
  if (silentMs < SILENCE_SHOWN_AFTER_MS) return null;
  const { name } = agent.settings;
  const detail = `Agent ${name} was last heard ${Math.floor(silentMs / 1_000)} s ago.`;
  return { code: "agent_silent", agents: [{ id: agentId, name }], detail };
}

function toWaiting({ reason, ...rest }: WaitingReason): Waiting {
  return { ...rest, detail: reason };
}

/** Those of these jobs that this Pool knows; what was rerouted is another's. */
export function jobStatesOf(pool: Pool, jobIds: readonly string[]): JobState[] {
  const reasons = new WaitingReasons(pool, pool.world.now());
  return jobIds.flatMap((jobId): JobState[] => {
    const live = pool.jobs.get(jobId);
    if (live !== undefined) return [stateOf(pool, live, reasons)];
    const past = pool.jobs.finished(jobId).findLast(({ by }) => by !== "rerouted");
    if (past === undefined) return [];
    const { agentId, finishedAt } = past;
    const unknown = { queuedAt: null, assignedAt: null, deliveredAt: null, startedAt: null };
    const times = { ...unknown, finishedAt, reportedAt: finishedAt };
    return [{ jobId, status: "finished", agentId, waiting: null, times }];
  });
}

function stateOf(pool: Pool, live: LiveJob, reasons: WaitingReasons): JobState {
  const { facts, stage } = live.job;
  const { jobId, assignments } = facts;
  const shown = { jobId, times: timesOf(live.job), ...(assignments === undefined ? {} : { assignments }) };
  switch (stage.type) {
    case "queued":
      return { ...shown, status: "queued", agentId: null, waiting: toWaiting(reasons.of(live)) };
    case "assigned":
      return { ...shown, status: "assigned", agentId: stage.agentId, waiting: toWaiting(reasons.of(live)) };
    case "delivered":
      return {
        ...shown,
        times: { ...shown.times, startedAt: begunAt(live) },
        status: "delivered",
        agentId: stage.agentId,
        waiting: silentReason(pool, stage) ?? missedReason(pool, live, stage),
      };
    case "ended":
      if (stage.report.reroute !== undefined) {
        return { ...shown, status: "queued", agentId: null, waiting: toWaiting(reasons.of(live)) };
      }
      return { ...shown, status: "finished", agentId: stage.report.agentId, waiting: null };
  }
}
