import type { JobConnectionRow } from "../../store/job-connections.ts";
import { poolObjectOf } from "../objects.ts";

/** Where a connection's jobs go now; null when it has neither agent nor pool. */
export function targetOf({
  agentId,
  poolId,
  agentPoolId,
}: Pick<JobConnectionRow, "agentId" | "poolId" | "agentPoolId">): {
  poolObject: string;
  pinnedAgentId: string | null;
} | null {
  if (agentId !== null)
    return { poolObject: poolObjectOf({ id: agentId, poolId: agentPoolId }), pinnedAgentId: agentId };
  return poolId === null ? null : { poolObject: `pool:${poolId}`, pinnedAgentId: null };
}
