import type { HeartbeatRequest, JobsResponse } from "../../../schema/contract/agent.ts";
import { parseHeld } from "../../../schema/contract/agent.ts";
import type { LeaseRef } from "../../../schema/contract/agent.ts";
import type { AgentCaller, HeardAgent, HeartbeatAnswer, PollRequest, ShardAnswer } from "../ports.ts";
import { dispatchWaiting } from "./dispatch-waiting.ts";
import { heartbeat } from "./heartbeat.ts";
import { cancelledHere, missingAmong } from "./held-leases.ts";
import { poll } from "./poll.ts";
import type { Pool } from "./pool.ts";
import { flushSoon } from "./register.ts";

/** A poll that came by a shard (docs/decisions/0010-dispatch.md). */
export async function pollByShard(
  pool: Pool,
  caller: AgentCaller,
  request: PollRequest,
): Promise<ShardAnswer<JobsResponse>> {
  const answer = await poll(pool, caller, request);
  const isIdle = !("refused" in answer) && answer.jobs.length + answer.cancelled.length === 0;
  return { answer, settled: isIdle && isSettled(pool, caller.agentId, request.held) };
}

export async function heartbeatByShard(
  pool: Pool,
  caller: AgentCaller,
  request: HeartbeatRequest,
): Promise<ShardAnswer<HeartbeatAnswer>> {
  const answer = await heartbeat(pool, caller, request);
  const isIdle = !("refused" in answer) && answer.cancelled.length === 0;
  return { answer, settled: isIdle && isSettled(pool, caller.agentId, request.held.map(parseHeld)) };
}

/**
 * A shard answered these agents in the Pool's stead. Gives those to which the Pool has something else to say: word of it
 * was sent when it came about, and may have been lost.
 */
export function heardByShard(pool: Pool, heard: readonly HeardAgent[]): string[] {
  const waiting: string[] = [];
  for (const { agentId, instanceId, pollAt, heartbeatAt } of heard) {
    const agent = pool.agents.get(agentId);
    if (agent === undefined || agent.settings.removed || agent.registration?.instanceId !== instanceId) {
      waiting.push(agentId);
      continue;
    }
    // While it counted as gone, what it held was given up: that changed its answers.
    if (agent.presence.offline) waiting.push(agentId);
    pool.agents.heardElsewhere(agent, { pollAt, heartbeatAt });
    pool.changed.add(agentId);
  }
  dispatchWaiting(pool);
  flushSoon(pool);
  for (const { agentId } of heard) {
    const wantsStop = pool.jobs.heldBy(agentId).some(({ stage }) => stage.cancelRequested);
    if (wantsStop || pool.jobs.countAssignedTo(agentId) > 0) waiting.push(agentId);
  }
  return [...new Set(waiting)];
}

/** Whether nothing but what shards are told of can change the answer that was just given. */
function isSettled(pool: Pool, agentId: string, held: readonly LeaseRef[]): boolean {
  // Jobs lie here for it when libSQL was silent just now; of other Pools' jobs those Pools decide.
  return (
    pool.jobs.countAssignedTo(agentId) === 0 &&
    missingAmong(pool, agentId, held).length === 0 &&
    pool.strangers.among(pool, held).length === 0 &&
    cancelledHere(pool, agentId, held).length === 0
  );
}
