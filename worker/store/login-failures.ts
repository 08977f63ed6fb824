import { and, eq, gt, inArray, lte, sql } from "drizzle-orm";
import { loginFailures } from "../../schema/tables/index.ts";
import { rowsOf, writeBatch } from "./database.ts";
import type { Database, Statement } from "./database.ts";

export interface LimitedKey {
  key: string;
  limit: number;
  windowMs: number;
  /** Counted only while the previous key is over its limit, which in this case does not stop the counting. */
  ifBeforeIsOver: boolean;
}

export type CountedKey<K extends LimitedKey> = K & { failures: number; windowStartedAt: number };

/**
 * Counts one attempt under each key in turn, until one is over its limit. One transaction, so that simultaneous
 * attempts are counted one by one. Returns the counts.
 */
export async function countLoginAttempt<K extends LimitedKey>(
  db: Database,
  keys: readonly K[],
  now: number,
): Promise<CountedKey<K>[]> {
  const results = await writeBatch(
    db,
    keys.map((key, index) => countUnless(db, key, keys.slice(0, index), now)),
  );
  return results.flatMap((result, index) => {
    const [row] = rowsOf(result);
    const limited = keys[index];
    if (row === undefined || limited === undefined) return [];
    return [{ ...limited, failures: Number(row["failures"]), windowStartedAt: Number(row["window_started_at"]) }];
  });
}

export function deleteLoginFailures(db: Database, keys: readonly string[]): Statement {
  return db.delete(loginFailures).where(inArray(loginFailures.key, [...keys]));
}

/** Takes one attempt back from a key that other callers share. */
export function takeBackLoginFailure(db: Database, key: string): Statement {
  return db
    .update(loginFailures)
    .set({ failures: sql`${loginFailures.failures} - 1` })
    .where(and(eq(loginFailures.key, key), gt(loginFailures.failures, 0)));
}

/** Removes up to `limit` counts whose window began by `startedUntil`. Returns how many. */
export async function deleteOldLoginFailures(db: Database, startedUntil: number, limit: number): Promise<number> {
  const old = db
    .select({ key: loginFailures.key })
    .from(loginFailures)
    .where(lte(loginFailures.windowStartedAt, startedUntil))
    .limit(limit);
  return (await db.delete(loginFailures).where(inArray(loginFailures.key, old))).rowsAffected;
}

function countUnless(
  db: Database,
  { key, windowMs, ifBeforeIsOver }: LimitedKey,
  before: readonly LimitedKey[],
  now: number,
): Statement {
  const conditions = before.map((other, index) => {
    const isOver = sql`exists (select 1 from ${loginFailures} where ${loginFailures.key} = ${other.key} and ${loginFailures.failures} > ${other.limit})`;
    return ifBeforeIsOver && index === before.length - 1 ? isOver : sql`not ${isOver}`;
  });
  const within = conditions.length === 0 ? sql`true` : sql.join(conditions, sql` and `);
  const ended = sql`${loginFailures.windowStartedAt} <= ${now - windowMs}`;
  return db
    .insert(loginFailures)
    .select(sql`select ${key}, ${now}, 1 where ${within}`)
    .onConflictDoUpdate({
      target: loginFailures.key,
      set: {
        failures: sql`case when ${ended} then 1 else ${loginFailures.failures} + 1 end`,
        windowStartedAt: sql`case when ${ended} then ${now} else ${loginFailures.windowStartedAt} end`,
      },
    })
    .returning();
}
