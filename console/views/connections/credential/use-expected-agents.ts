import { useRead } from "../../../api/queries.ts";
import type { AgentStatus, ConnectionView } from "../../../../schema/contract/management.ts";
import type { Agents } from "../use-agents.ts";

/** An agent that runs a connection's jobs. */
export interface ExpectedAgent {
  id: string;
  name: string;
  status: AgentStatus;
  enabled: boolean;
}

/** The agents that should have a connection's credential: its agent, or the members of its pool. */
export function useExpectedAgents(connection: ConnectionView, agents: Agents): ExpectedAgent[] {
  const { agentId, poolId } = connection;
  const pool = useRead("/api/v1/automation/pools/{id}", { path: { id: poolId ?? "" } }, { enabled: poolId !== null });
  if (agentId !== null) {
    const agent = agents.byId.get(agentId);
    return agent === undefined ? [] : [agent];
  }
  return (pool.data?.members ?? []).map(({ agentId: id, name, status, enabled }) => ({ id, name, status, enabled }));
}
