import { and, eq, inArray, isNotNull, isNull, or } from "drizzle-orm";
import type { ConnectionType } from "../../schema/contract/connection.ts";
import type { JsonObject } from "../../schema/contract/json.ts";
import { agents, connections } from "../../schema/tables/index.ts";
import type { Database } from "./database.ts";

export interface ConnectionRouteRow {
  id: string;
  name: string;
  type: ConnectionType;
  config: JsonObject;
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
      name: connections.name,
      type: connections.type,
      config: connections.config,
      enabled: connections.enabled,
      poolId: connections.poolId,
      agentId: connections.agentId,
      agentPoolId: agents.poolId,
    })
    .from(connections)
    .leftJoin(agents, eq(agents.id, connections.agentId))
    .where(inArray(connections.id, [...ids]));
}

export interface AgentCapabilities {
  id: string;
  poolId: string | null;
  /** The connection types for which it has executors. */
  capabilities: readonly string[];
  features: readonly string[];
  /** Undefined for an agent that registered none. */
  actions: readonly string[] | undefined;
}

/** The registered abilities of these agents and of these pools' agents. Agents that never registered are left out. */
export async function findCapabilities(
  db: Database,
  { agentIds, poolIds }: { agentIds: readonly string[]; poolIds: readonly string[] },
): Promise<AgentCapabilities[]> {
  const rows = await db
    .select({ id: agents.id, poolId: agents.poolId, registration: agents.registration })
    .from(agents)
    .where(
      and(
        or(inArray(agents.id, [...agentIds]), inArray(agents.poolId, [...poolIds])),
        isNull(agents.deletedAt),
        isNotNull(agents.registration),
      ),
    );
  return rows.map(({ id, poolId, registration }) => ({
    id,
    poolId,
    capabilities: registration?.capabilities ?? [],
    features: registration?.features ?? [],
    actions: registration?.actions,
  }));
}
