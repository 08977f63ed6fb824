import { and, eq, inArray, isNull, lt, sql } from "drizzle-orm";
import type { JsonValue } from "../../schema/contract/json.ts";
import { idempotencyKeys } from "../../schema/tables/index.ts";
import type { Database } from "./database.ts";

export type IdempotencyRow = typeof idempotencyKeys.$inferSelect;

/** One attempt under a key. While it is under way, `answer` holds the time when it began. */
export interface Attempt {
  actor: string;
  key: string;
  /** Epoch milliseconds. */
  claimedAt: number;
}

/** Claims a new key; false when the key exists. */
export async function insertIdempotencyKey(
  db: Database,
  { claimedAt, ...row }: Attempt & Pick<IdempotencyRow, "operation" | "requestDigest">,
): Promise<boolean> {
  const rows = await db
    .insert(idempotencyKeys)
    .values({ ...row, status: null, answer: { claimedAt }, createdAt: claimedAt })
    .onConflictDoNothing()
    .returning({ key: idempotencyKeys.key });
  return rows.length > 0;
}

export async function findIdempotencyKey(db: Database, actor: string, key: string): Promise<IdempotencyRow | null> {
  const same = and(eq(idempotencyKeys.actor, actor), eq(idempotencyKeys.key, key));
  return (await db.select().from(idempotencyKeys).where(same).get()) ?? null;
}

/** Takes over an attempt that failed or never ended; false when another caller was first. */
export async function reclaimIdempotencyKey(db: Database, before: Attempt, claimedAt: number): Promise<boolean> {
  const rows = await db
    .update(idempotencyKeys)
    .set({ status: null, answer: { claimedAt } })
    .where(isAttempt(before))
    .returning({ key: idempotencyKeys.key });
  return rows.length > 0;
}

/** Stores an attempt's answer, unless another caller has taken the attempt over. */
export async function keepIdempotentAnswer(
  db: Database,
  attempt: Attempt,
  status: number,
  answer: JsonValue,
): Promise<void> {
  await db
    .update(idempotencyKeys)
    .set({ status, answer })
    .where(and(isAttempt(attempt), isNull(idempotencyKeys.status)));
}

/** Records that an attempt failed, and that its effect is unknown. */
export async function markIdempotencyFailure(db: Database, attempt: Attempt, status: number): Promise<void> {
  await db
    .update(idempotencyKeys)
    .set({ status })
    .where(and(isAttempt(attempt), isNull(idempotencyKeys.status)));
}

/** Frees the key of an attempt that did nothing. */
export async function freeIdempotencyKey(db: Database, attempt: Attempt): Promise<void> {
  await db.delete(idempotencyKeys).where(and(isAttempt(attempt), isNull(idempotencyKeys.status)));
}

/** Removes a key in the version that was read, unless it was used again since. */
export async function deleteIdempotencyKey(
  db: Database,
  seen: Pick<IdempotencyRow, "actor" | "key" | "createdAt">,
): Promise<void> {
  const same = and(
    eq(idempotencyKeys.actor, seen.actor),
    eq(idempotencyKeys.key, seen.key),
    eq(idempotencyKeys.createdAt, seen.createdAt),
  );
  await db.delete(idempotencyKeys).where(same);
}

/** Removes up to `limit` keys that were first used before a time. Returns how many. */
export async function deleteIdempotencyKeysBefore(db: Database, before: number, limit: number): Promise<number> {
  const old = db
    .select({ rowid: sql`rowid` })
    .from(idempotencyKeys)
    .where(lt(idempotencyKeys.createdAt, before))
    .limit(limit);
  const rows = await db
    .delete(idempotencyKeys)
    .where(inArray(sql`rowid`, old))
    .returning({ key: idempotencyKeys.key });
  return rows.length;
}

function isAttempt({ actor, key, claimedAt }: Attempt) {
  return and(
    eq(idempotencyKeys.actor, actor),
    eq(idempotencyKeys.key, key),
    sql`${idempotencyKeys.answer} ->> 'claimedAt' = ${claimedAt}`,
  );
}
