import type { AgentView } from "../../../schema/contract/management.ts";

export interface AgentFilter {
  text: string;
  /** A status, or `disabled`; empty for all. */
  status: string;
  pool: string;
}

/** Whether an agent matches the filter. Every word of the text must occur in the agent's row. */
export function matchesFilter(agent: AgentView, { text, status, pool }: AgentFilter): boolean {
  if (status === "disabled" ? agent.enabled : status !== "" && agent.status !== status) return false;
  if (pool !== "" && agent.poolId !== pool) return false;
  const { registration } = agent;
  const shown = [agent.name, agent.id, agent.description, agent.poolId, registration?.name, registration?.version];
  const all = [...shown, registration?.os, registration?.arch].join(" ").toLowerCase();
  return text
    .toLowerCase()
    .split(/\s+/u)
    .every((word) => all.includes(word));
}
