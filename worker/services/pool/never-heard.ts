import { healthParts, healthScore } from "../../actors/dispatcher/rules/health-score.ts";
import type { AgentPresence } from "../ports.ts";

/** An agent that a Pool does not know. */
export function neverHeard(agentId: string, lastHeartbeatAt: number | null): AgentPresence {
  const none = { finished: 0, succeeded: 0 };
  return {
    agentId,
    status: "Offline",
    healthScore: healthScore(null, none),
    health: healthParts(null, none),
    lastHeartbeatAt,
    runningJobs: 0,
  };
}
