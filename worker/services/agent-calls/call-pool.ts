import type { Deps } from "../deps.ts";
import type { AgentCaller, PoolRefusal, PoolRpc } from "../ports.ts";
import { reach } from "../unavailable.ts";
import { isRefusal, refusalProblem, registerAgain } from "./refusal.ts";
import { openSession } from "./session.ts";
import type { AgentSession } from "./session.ts";
import { verifyAgentKey, verifyAgentKeyAnew } from "./verify-agent-key.ts";

/** A call whose key was verified and whose session is that agent's. */
export interface AgentCall {
  key: string;
  epoch: number;
  session: AgentSession;
}

/** The calls of agents that mostly have nothing to do: in large Pools a shard answers them. */
type IdleCalls = Pick<PoolRpc, "poll" | "heartbeat" | "fetch">;

/** Checks a registered agent's key, from the cache where it can, and its session. Throws what the agent is told. */
export async function admitCall(deps: Deps, key: string, sealedSession: string | null): Promise<AgentCall> {
  const agent = await verifyAgentKey(deps, key);
  const session = sealedSession === null ? null : openSession(deps.env.BELLHOP_SECRET, sealedSession);
  if (session === null || session.agentId !== agent.agentId) throw registerAgain();
  return { key, epoch: agent.epoch, session };
}

/**
 * Brings a call to the agent's Pool. When the Pool knows of a newer epoch, the key is checked once more against libSQL,
 * so that revoking beats caching (invariant 8).
 */
export async function callPool<T extends object>(
  deps: Deps,
  { key, epoch, session }: AgentCall,
  call: (pool: PoolRpc, caller: AgentCaller, idle: IdleCalls) => Promise<T | PoolRefusal>,
): Promise<T> {
  const { agentId, instanceId, poolObject } = session;
  const pool = deps.objects.pool(poolObject);
  const idle = idleCalls(deps, session);
  const ask = (asEpoch: number) =>
    reach("The agent's pool does not answer.", () => call(pool, { agentId, epoch: asEpoch, instanceId }, idle));
  let answer = await ask(epoch);
  if (isRefusal(answer) && answer.refused === "unauthorized") {
    answer = await ask((await verifyAgentKeyAnew(deps, key)).epoch);
  }
  if (isRefusal(answer)) throw refusalProblem(answer);
  return answer;
}

function idleCalls({ objects }: Deps, { poolObject, shard }: AgentSession): IdleCalls {
  if (shard === null) return objects.pool(poolObject);
  const near = objects.poolShard(shard);
  return {
    poll: (caller, request) => near.poll(poolObject, caller, request),
    heartbeat: (caller, request) => near.heartbeat(poolObject, caller, request),
    fetch: (request) => near.fetch(request),
  };
}
