import { and, count, desc, eq, inArray, isNotNull, isNull, lt, ne, sql } from "drizzle-orm";
import { agents } from "../../schema/tables/index.ts";
import type { AgentRow } from "../../schema/tables/index.ts";
import type { Database, Statement } from "./database.ts";

export type { AgentRow };

/** The columns that people change. A deletion sets `deletedAt`. */
export type AgentChanges = Partial<
  Pick<
    AgentRow,
    | "name"
    | "description"
    | "poolId"
    | "keyPrefix"
    | "keyHash"
    | "publicKey"
    | "fingerprintVerification"
    | "enrolmentDigest"
    | "enrolmentExpiresAt"
    | "enabled"
    | "deletedAt"
  >
>;

/** Null for an agent that was deleted. */
export async function findAgent(db: Database, id: string): Promise<AgentRow | null> {
  return (
    (await db
      .select()
      .from(agents)
      .where(and(eq(agents.id, id), isNull(agents.deletedAt)))
      .get()) ?? null
  );
}

/** The agent whose present enrolment code has this digest; null without such an agent. */
export async function findAgentByEnrolment(db: Database, enrolmentDigest: string): Promise<{ id: string } | null> {
  const row = await db
    .select({ id: agents.id })
    .from(agents)
    .where(and(eq(agents.enrolmentDigest, enrolmentDigest), isNull(agents.deletedAt)))
    .get();
  return row ?? null;
}

/** Deleted agents included. */
export async function findAgentNames(db: Database, ids: readonly string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .select({ id: agents.id, name: agents.name })
    .from(agents)
    .where(inArray(agents.id, [...ids]));
  return new Map(rows.map(({ id, name }) => [id, name]));
}

/** Newest first, up to `limit`. */
export function listAgents(db: Database, page: { beforeId: string | null; limit: number }): Promise<AgentRow[]> {
  const before = page.beforeId === null ? undefined : lt(agents.id, page.beforeId);
  return db
    .select()
    .from(agents)
    .where(and(isNull(agents.deletedAt), before))
    .orderBy(desc(agents.id))
    .limit(page.limit);
}

export function insertAgent(db: Database, row: typeof agents.$inferInsert): Statement {
  return db.insert(agents).values(row);
}

/**
 * A row as it was read. An update matches no row when the row has changed since. `updatedAt` rises with every edit, and
 * a registration removes the enrolment code.
 */
export type SeenAgent = Pick<AgentRow, "id" | "epoch" | "pushedEpoch" | "updatedAt" | "enrolmentDigest">;

/** A conditional update. */
export function updateAgent(
  db: Database,
  seen: SeenAgent,
  changes: AgentChanges & Pick<AgentRow, "epoch" | "pushedEpoch" | "updatedAt">,
): Statement {
  return db.update(agents).set(changes).where(unchanged(seen));
}

/** Reserves an epoch for one writer. False when the row has changed since it was read. */
export async function reserveAgentEpoch(db: Database, seen: SeenAgent, epoch: number): Promise<boolean> {
  const rows = await db.update(agents).set({ epoch }).where(unchanged(seen)).returning({ id: agents.id });
  return rows.length > 0;
}

/** Records that the agent's dispatcher has this epoch. Does nothing when the row has a newer one. */
export async function markAgentPushed(db: Database, id: string, epoch: number): Promise<void> {
  await db
    .update(agents)
    .set({ pushedEpoch: epoch })
    .where(and(eq(agents.id, id), eq(agents.epoch, epoch)));
}

/** Agents, also deleted ones, whose dispatcher may have older settings. */
export function agentsBehind(db: Database, limit: number): Promise<AgentRow[]> {
  return db.select().from(agents).where(ne(agents.pushedEpoch, agents.epoch)).limit(limit);
}

/** The number of agents in each pool. */
export async function countPoolAgents(db: Database): Promise<{ poolId: string; agentCount: number }[]> {
  const rows = await db
    .select({ poolId: agents.poolId, agentCount: count() })
    .from(agents)
    .where(and(isNotNull(agents.poolId), isNull(agents.deletedAt)))
    .groupBy(agents.poolId);
  return rows.flatMap(({ poolId, agentCount }) => (poolId === null ? [] : [{ poolId, agentCount }]));
}

function unchanged(seen: SeenAgent) {
  return and(
    eq(agents.id, seen.id),
    eq(agents.epoch, seen.epoch),
    eq(agents.pushedEpoch, seen.pushedEpoch),
    eq(agents.updatedAt, seen.updatedAt),
    sql`${agents.enrolmentDigest} is ${seen.enrolmentDigest}`,
  );
}
