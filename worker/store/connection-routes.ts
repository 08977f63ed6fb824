import { eq, inArray } from "drizzle-orm";
import type { ConnectionType } from "../../schema/contract/connection.ts";
import { agents, connections } from "../../schema/tables/index.ts";
import type { Database } from "./database.ts";

export interface ConnectionRouteRow {
  id: string;
  type: ConnectionType;
  enabled: boolean;
  poolId: string | null;
  agentId: string | null;
  agentPoolId: string | null;
}

/** Where each connection's jobs go: its pool, or its agent and that agent's pool. */
export function findConnectionRoutes(db: Database, ids: readonly string[]): Promise<ConnectionRouteRow[]> {
  return db
    .select({
      id: connections.id,
      type: connections.type,
      enabled: connections.enabled,
      poolId: connections.poolId,
      agentId: connections.agentId,
      agentPoolId: agents.poolId,
    })
    .from(connections)
    .leftJoin(agents, eq(agents.id, connections.agentId))
    .where(inArray(connections.id, [...ids]));
}
