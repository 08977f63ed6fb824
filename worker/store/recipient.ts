import { and, eq, isNotNull, isNull, or } from "drizzle-orm";
import { agents, connections } from "../../schema/tables/index.ts";

/** The agents that run a connection's jobs: its own, or those of its pool. */
export const isRecipient = and(
  isNull(agents.deletedAt),
  or(
    eq(connections.agentId, agents.id),
    and(isNull(connections.agentId), isNotNull(agents.poolId), eq(connections.poolId, agents.poolId)),
  ),
);
