import { and, asc, desc, eq, inArray, lt, or } from "drizzle-orm";
import { limitGroups } from "../../schema/tables/index.ts";
import type { LimitGroupRow } from "../../schema/tables/index.ts";
import type { Database, Statement } from "./database.ts";

export type { LimitGroupRow };
type Seen = Pick<LimitGroupRow, "id" | "revision">;

export async function findLimitGroup(db: Database, id: string): Promise<LimitGroupRow | null> {
  return (await db.select().from(limitGroups).where(eq(limitGroups.id, id)).get()) ?? null;
}

/** Newest first, up to `limit`. */
export function listLimitGroups(
  db: Database,
  page: { beforeId: string | null; limit: number },
): Promise<LimitGroupRow[]> {
  const before = page.beforeId === null ? undefined : lt(limitGroups.id, page.beforeId);
  return db.select().from(limitGroups).where(before).orderBy(desc(limitGroups.id)).limit(page.limit);
}

/** The groups with one of these ids or one of these names. */
export async function findLimitGroupsNamed(
  db: Database,
  ids: readonly string[],
  names: readonly string[],
): Promise<{ id: string; name: string }[]> {
  if (ids.length === 0 && names.length === 0) return [];
  const { id, name } = limitGroups;
  return db
    .select({ id, name })
    .from(limitGroups)
    .where(or(inArray(id, [...ids]), inArray(name, [...names])));
}

/** Names of groups, for messages that list them. */
export async function limitGroupNames(db: Database, limit: number): Promise<string[]> {
  const { name } = limitGroups;
  return (await db.select({ name }).from(limitGroups).orderBy(asc(name)).limit(limit)).map((row) => row.name);
}

export function insertLimitGroup(db: Database, row: typeof limitGroups.$inferInsert): Statement {
  return db.insert(limitGroups).values(row);
}

/** A conditional update: matches no row when the group has changed since `revision`. */
export function updateLimitGroup(
  db: Database,
  seen: Seen,
  changes: Pick<LimitGroupRow, "name" | "maxRuns" | "periodSeconds" | "whenReached" | "updatedAt">,
): Statement {
  return db
    .update(limitGroups)
    .set({ ...changes, revision: seen.revision + 1 })
    .where(isSeen(seen));
}

export function deleteLimitGroupRow(db: Database, seen: Seen): Statement {
  return db.delete(limitGroups).where(isSeen(seen));
}

function isSeen({ id, revision }: Seen) {
  return and(eq(limitGroups.id, id), eq(limitGroups.revision, revision));
}
