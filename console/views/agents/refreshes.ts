/** The reads that show agents: each is repeated after an agent has changed. */
export const AGENT_READS = [
  "/api/v1/automation/agents",
  "/api/v1/automation/agents/{id}",
  "/api/v1/automation/pools",
  "/api/v1/automation/pools/{id}",
  "/api/v1/automation/connections",
] as const;
