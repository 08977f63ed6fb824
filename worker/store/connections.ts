import { and, desc, eq, inArray, isNotNull, isNull, lt, sql } from "drizzle-orm";
import { agents, connections } from "../../schema/tables/index.ts";
import type { ConnectionRow } from "../../schema/tables/index.ts";
import type { UsableBy } from "../../schema/contract/usable-by.ts";
import type { ConnectionType } from "../../schema/contract/connection.ts";
import type { JsonObject } from "../../schema/contract/json.ts";
import type { Database, Statement } from "./database.ts";

export type { ConnectionRow };
export type ConnectionChanges = Partial<
  Pick<
    ConnectionRow,
    "name" | "config" | "agentId" | "poolId" | "usableBy" | "enabled" | "targetEdits" | "targetEdited" | "formerTargets"
  >
>;

export async function findConnection(db: Database, id: string): Promise<ConnectionRow | null> {
  return (await db.select().from(connections).where(eq(connections.id, id)).get()) ?? null;
}

/** Newest first, up to `limit`. */
export function listConnections(
  db: Database,
  page: { beforeId: string | null; limit: number },
): Promise<ConnectionRow[]> {
  const before = page.beforeId === null ? undefined : lt(connections.id, page.beforeId);
  return db.select().from(connections).where(before).orderBy(desc(connections.id)).limit(page.limit);
}

export interface ConnectionFacts {
  id: string;
  type: ConnectionType;
  config: JsonObject;
  enabled: boolean;
  /** Whether it has a pool, or an agent that was not deleted. */
  assigned: boolean;
}

/** The facts about connections that the check of a graph needs. */
export function findConnectionFacts(db: Database, ids: readonly string[]): Promise<ConnectionFacts[]> {
  return db
    .select({
      id: connections.id,
      type: connections.type,
      config: connections.config,
      enabled: connections.enabled,
      assigned: sql`${connections.poolId} is not null or ${agents.id} is not null`.mapWith(Boolean),
    })
    .from(connections)
    .leftJoin(agents, and(eq(agents.id, connections.agentId), isNull(agents.deletedAt)))
    .where(inArray(connections.id, [...ids]));
}

/** The `usableBy` of those of these connections that have one. */
export async function findRestrictions(db: Database, ids: readonly string[]): Promise<Map<string, UsableBy>> {
  const { id, usableBy } = connections;
  const rows = await db
    .select({ id, usableBy })
    .from(connections)
    .where(and(inArray(id, [...ids]), isNotNull(usableBy)));
  return new Map(rows.flatMap((row): [string, UsableBy][] => (row.usableBy === null ? [] : [[row.id, row.usableBy]])));
}

export function insertConnection(db: Database, row: typeof connections.$inferInsert): Statement {
  return db.insert(connections).values(row);
}

/** A conditional update: matches no row when the connection has changed since `revision`. */
export function updateConnection(
  db: Database,
  seen: Pick<ConnectionRow, "id" | "revision">,
  changes: ConnectionChanges & { updatedAt: number },
): Statement {
  return db
    .update(connections)
    .set({ ...changes, revision: seen.revision + 1 })
    .where(and(eq(connections.id, seen.id), eq(connections.revision, seen.revision)));
}

export function deleteConnectionRow(db: Database, seen: Pick<ConnectionRow, "id" | "revision">): Statement {
  return db.delete(connections).where(and(eq(connections.id, seen.id), eq(connections.revision, seen.revision)));
}

/** The pools that connections name, with or without agents. */
export async function connectionPoolIds(db: Database): Promise<string[]> {
  const rows = await db
    .selectDistinct({ poolId: connections.poolId })
    .from(connections)
    .where(isNotNull(connections.poolId));
  return rows.flatMap(({ poolId }) => (poolId === null ? [] : [poolId]));
}
