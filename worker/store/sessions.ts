import { and, eq, inArray, lte, ne } from "drizzle-orm";
import { sessions, users } from "../../schema/tables/index.ts";
import type { Database, Statement } from "./database.ts";
import type { UserRow } from "./users.ts";

export type SessionRow = typeof sessions.$inferSelect;

export function insertSession(db: Database, row: SessionRow): Statement {
  return db.insert(sessions).values(row);
}

/** A session with its user, in one query; null when either is gone. */
export async function findSession(
  db: Database,
  idDigest: string,
): Promise<{ session: SessionRow; user: UserRow } | null> {
  const row = await db
    .select({ session: sessions, user: users })
    .from(sessions)
    .innerJoin(users, eq(users.id, sessions.userId))
    .where(eq(sessions.idDigest, idDigest))
    .get();
  return row ?? null;
}

export function deleteSession(db: Database, idDigest: string): Statement {
  return db.delete(sessions).where(eq(sessions.idDigest, idDigest));
}

/** Ends a user's sessions, except the one to keep. */
export function deleteSessionsOfUser(db: Database, userId: string, keepDigest: string | null = null): Statement {
  const others = keepDigest === null ? undefined : ne(sessions.idDigest, keepDigest);
  return db.delete(sessions).where(and(eq(sessions.userId, userId), others));
}

/** Removes up to `limit` expired sessions. Returns how many. */
export async function deleteExpiredSessions(db: Database, now: number, limit: number): Promise<number> {
  const expired = db
    .select({ idDigest: sessions.idDigest })
    .from(sessions)
    .where(lte(sessions.expiresAt, now))
    .limit(limit);
  return (await db.delete(sessions).where(inArray(sessions.idDigest, expired))).rowsAffected;
}
