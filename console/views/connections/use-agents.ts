import { useAll } from "../../api/use-all.ts";
import type { AgentView } from "../../../schema/contract/management.ts";

export interface Agents {
  byId: ReadonlyMap<string, AgentView>;
  list: readonly AgentView[];
  /** All agents are read: a missing agent was deleted. */
  isComplete: boolean;
  error: unknown;
}

/** The deployment's agents, to show names instead of ids. */
export function useAgents(): Agents {
  const { items = [], isWhole, error } = useAll("/api/v1/automation/agents", { query: { limit: 200 } });
  return { list: items, byId: new Map(items.map((agent) => [agent.id, agent])), isComplete: isWhole, error };
}
