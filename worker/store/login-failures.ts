import { and, eq, gt, inArray, lte, sql } from "drizzle-orm";
import { loginFailures } from "../../schema/tables/index.ts";
import { writeBatch } from "./database.ts";
import type { Database, Statement } from "./database.ts";

export interface LimitedKey {
  key: string;
  limit: number;
}

export interface CountedKey extends LimitedKey {
  failures: number;
  windowStartedAt: number;
}

/**
 * Counts one attempt under each key, one after the other, until one is over its limit; all in one transaction, so that
 * attempts at the same moment are counted one by one. Gives what was counted.
 */
export async function countLoginAttempt(
  db: Database,
  keys: readonly LimitedKey[],
  now: number,
  windowMs: number,
): Promise<CountedKey[]> {
  const results = await writeBatch(
    db,
    keys.map(({ key }, index) => countUnless(db, key, keys.slice(0, index), now, windowMs)),
  );
  return results.flatMap(({ rows: [row] }, index) => {
    const limited = keys[index];
    if (row === undefined || limited === undefined) return [];
    return [{ ...limited, failures: Number(row["failures"]), windowStartedAt: Number(row["window_started_at"]) }];
  });
}

export function deleteLoginFailures(db: Database, keys: readonly string[]): Statement {
  return db.delete(loginFailures).where(inArray(loginFailures.key, [...keys]));
}

/** Takes one attempt back from a key that others are counted under, too. */
export function takeBackLoginFailure(db: Database, key: string): Statement {
  return db
    .update(loginFailures)
    .set({ failures: sql`${loginFailures.failures} - 1` })
    .where(and(eq(loginFailures.key, key), gt(loginFailures.failures, 0)));
}

/** Removes up to `limit` counts whose window began at `startedUntil` or before; gives how many. */
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
  key: string,
  before: readonly LimitedKey[],
  now: number,
  windowMs: number,
): Statement {
  const isOver = before.map(
    (other) =>
      sql`not exists (select 1 from ${loginFailures} where ${loginFailures.key} = ${other.key} and ${loginFailures.failures} > ${other.limit})`,
  );
  const within = isOver.length === 0 ? sql`true` : sql.join(isOver, sql` and `);
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
