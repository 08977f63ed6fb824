import { sql } from "drizzle-orm";
import { NEWEST_MIGRATION } from "../../schema/newest-migration.ts";
import { readRows } from "./database.ts";
import type { Database } from "./database.ts";
import { isTokenRefused } from "./errors.ts";

export type DatabaseState = "ready" | "behind" | "refused" | "unreachable";

/**
 * Whether the database answers and has every migration of this Worker. Newer migrations count as ready, because a
 * rolled-back Worker meets them.
 */
export async function databaseState(db: Database): Promise<DatabaseState> {
  try {
    const [rows] = await readRows(db, [sql`select max(created_at) as at from __drizzle_migrations`]);
    return Number(rows?.[0]?.["at"] ?? 0) >= NEWEST_MIGRATION.when ? "ready" : "behind";
  } catch (error) {
    if (isMissingTable(error)) return "behind";
    return isTokenRefused(error) ? "refused" : "unreachable";
  }
}

/** A database without any migration. */
function isMissingTable(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (/no such table/iu.test(cause.message)) return true;
  }
  return false;
}
