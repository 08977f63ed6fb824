import type { AgentCaller, PoolRefusal } from "../ports.ts";
import type { PoolAgent } from "./pool-agent.ts";
import type { Pool } from "./pool.ts";
import type { AgentRegistration } from "./stored-agent.ts";

export interface AdmittedAgent {
  agent: PoolAgent;
  registration: AgentRegistration;
}

/**
 * Whether this Pool serves a call: the key must not be older than what Pool was told (invariant 8), and the process must
 * be the one that registered last (design 3, "Agent").
 */
export function admit(pool: Pool, caller: AgentCaller): AdmittedAgent | PoolRefusal {
  const agent = pool.agents.get(caller.agentId);
  if (agent === undefined) return { refused: "register_again" };
  if (caller.epoch < agent.settings.epoch) return { refused: "unauthorized" };
  const { registration } = agent;
  if (agent.settings.removed || registration === null) return { refused: "register_again" };
  if (caller.instanceId !== registration.instanceId) return { refused: "superseded" };
  return { agent, registration };
}
