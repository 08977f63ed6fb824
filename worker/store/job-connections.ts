import { and, eq, exists, inArray, sql } from "drizzle-orm";
import type { ConnectionType } from "../../schema/contract/connection.ts";
import type { JsonObject } from "../../schema/contract/json.ts";
import type { UsableBy } from "../../schema/contract/usable-by.ts";
import { agents, connections, credentials } from "../../schema/tables/index.ts";
import type { Database } from "./database.ts";
import { isRecipient } from "./recipient.ts";

export interface JobConnectionRow {
  id: string;
  type: ConnectionType;
  config: JsonObject;
  enabled: boolean;
  usableBy: UsableBy | null;
  targetEdits: number;
  poolId: string | null;
  agentId: string | null;
  agentPoolId: string | null;
  agentDeleted: boolean;
  /** Whether any of its agents is to have a credential for it or left with one, and whether any has it. */
  hasCredential: boolean;
  isDelivered: boolean;
}

/** Connections with the fields that a delivery needs, and the present destination of their jobs. One query. */
export function findJobConnections(db: Database, ids: readonly string[]): Promise<JobConnectionRow[]> {
  return db
    .select({
      id: connections.id,
      type: connections.type,
      config: connections.config,
      enabled: connections.enabled,
      usableBy: connections.usableBy,
      targetEdits: connections.targetEdits,
      poolId: connections.poolId,
      agentId: connections.agentId,
      agentPoolId: agents.poolId,
      // A missing row also counts as a deleted agent.
      agentDeleted:
        sql`${connections.agentId} is not null and (${agents.id} is null or ${agents.deletedAt} is not null)`.mapWith(
          Boolean,
        ),
      hasCredential: sql`${connections.hadCredential} or ${exists(ofRecipients(db))}`.mapWith(Boolean),
      isDelivered: sql`${exists(ofRecipients(db, "delivered"))}`.mapWith(Boolean),
    })
    .from(connections)
    .leftJoin(agents, eq(agents.id, connections.agentId))
    .where(inArray(connections.id, [...ids]));
}

/** Records of agents that run this connection's jobs now. */
function ofRecipients(db: Database, status?: "delivered") {
  return db
    .select({ one: sql`1` })
    .from(credentials)
    .innerJoin(agents, and(eq(agents.id, credentials.agentId), isRecipient))
    .where(
      and(
        eq(credentials.connectionId, connections.id),
        eq(credentials.state, "present"),
        status === undefined ? undefined : eq(credentials.status, status),
      ),
    );
}
