import { parseHeld } from "../../../schema/contract/agent.ts";
import type { HeartbeatRequest, LeaseRef } from "../../../schema/contract/agent.ts";
import type { AgentCaller, PoolRefusal } from "../ports.ts";
import { admit } from "./admit.ts";
import { cancelledAmong } from "./held-leases.ts";
import type { Pool } from "./pool.ts";
import { flushSoon } from "./register.ts";

/** Notes that an agent lives and what credentials it has; tells it what to stop. Writes nothing that did not change. */
export function heartbeat(
  pool: Pool,
  caller: AgentCaller,
  request: HeartbeatRequest,
): { enabled: boolean; cancelled: LeaseRef[] } | PoolRefusal {
  const admitted = admit(pool, caller);
  if ("refused" in admitted) return admitted;
  const { agent } = admitted;
  pool.agents.heard(agent, "heartbeat", pool.world.now());
  pool.agents.credentialsTold(
    agent,
    request.credentials.map(({ connectionId }) => connectionId),
  );
  flushSoon(pool);
  return {
    enabled: agent.settings.enabled,
    cancelled: cancelledAmong(pool, caller.agentId, request.held.map(parseHeld)),
  };
}
