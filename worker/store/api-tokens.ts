import { and, desc, eq, isNull, lt, lte, or } from "drizzle-orm";
import { apiTokens, users } from "../../schema/tables/index.ts";
import type { Database, Statement } from "./database.ts";
import type { UserRow } from "./users.ts";

export type ApiTokenRow = typeof apiTokens.$inferSelect;

export function insertApiToken(db: Database, row: typeof apiTokens.$inferInsert): Statement {
  return db.insert(apiTokens).values(row);
}

/** A token with its owner, in one query. `owner` is null for a token without an owner, and when the owner is gone. */
export async function findApiTokenByDigest(
  db: Database,
  tokenDigest: string,
): Promise<{ token: ApiTokenRow; owner: UserRow | null } | null> {
  const row = await db
    .select({ token: apiTokens, owner: users })
    .from(apiTokens)
    .leftJoin(users, eq(users.id, apiTokens.userId))
    .where(eq(apiTokens.tokenDigest, tokenDigest))
    .get();
  return row ?? null;
}

export async function findApiToken(db: Database, id: string): Promise<ApiTokenRow | null> {
  return (await db.select().from(apiTokens).where(eq(apiTokens.id, id)).get()) ?? null;
}

/** Newest first, up to `limit`: of one owner (null for tokens without an owner), or of everyone. */
export function listApiTokens(
  db: Database,
  owner: { userId: string | null } | "everyone",
  page: { beforeId: string | null; limit: number },
): Promise<ApiTokenRow[]> {
  return db
    .select()
    .from(apiTokens)
    .where(and(ownedBy(owner), page.beforeId === null ? undefined : lt(apiTokens.id, page.beforeId)))
    .orderBy(desc(apiTokens.id))
    .limit(page.limit);
}

/** For a batch, with `recordIfChanged` right behind it: the batch fails when the token was already gone. */
export function deleteApiToken(db: Database, id: string): Statement {
  return db.delete(apiTokens).where(eq(apiTokens.id, id));
}

export function deleteApiTokensOfUser(db: Database, userId: string): Statement {
  return db.delete(apiTokens).where(eq(apiTokens.userId, userId));
}

export function countApiTokensOfUser(db: Database, userId: string): Promise<number> {
  return db.$count(apiTokens, eq(apiTokens.userId, userId));
}

/** Records a use, unless one since `unlessAfter` is recorded already. */
export async function noteApiTokenUse(db: Database, id: string, now: number, unlessAfter: number): Promise<void> {
  await db
    .update(apiTokens)
    .set({ lastUsedAt: now })
    .where(and(eq(apiTokens.id, id), or(isNull(apiTokens.lastUsedAt), lte(apiTokens.lastUsedAt, unlessAfter))));
}

function ownedBy(owner: { userId: string | null } | "everyone") {
  if (owner === "everyone") return undefined;
  return owner.userId === null ? isNull(apiTokens.userId) : eq(apiTokens.userId, owner.userId);
}
