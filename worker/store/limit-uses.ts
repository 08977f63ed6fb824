import { and, desc, eq, gt, inArray, lt, sql } from "drizzle-orm";
import type { LimitUse, WhenReached } from "../../schema/contract/limit-group.ts";
import { executions, limitUses } from "../../schema/tables/index.ts";
import { rowsOf, writeBatch } from "./database.ts";
import type { Database, Row, Statement } from "./database.ts";
import { insertRows } from "./fixed-statements.ts";

/** A wanted use, with its present group and the uses of others that count. */
export interface WantedUse extends LimitUse {
  /** Null when the group does not exist. */
  readonly group: { name: string; maxRuns: number; periodSeconds: number; whenReached: WhenReached } | null;
  /** Whether it counts already. */
  readonly isUsed: boolean;
  /** Newest first. */
  readonly others: readonly { executionId: string; at: number }[];
}

/**
 * Makes all these uses count, or none; those that count already stay as they are. One statement counts and inserts, so
 * two executions, or a repeated call, cannot both take the last place of a group. The clock of the caller may be behind
 * others: later uses count, too.
 */
export async function reserveUses(db: Database, uses: readonly LimitUse[], now: number): Promise<boolean> {
  const { text, params } = wantedRows(uses);
  const results = await writeBatch(db, [
    statement(
      `${text},
      missing as materialized (select * from wanted w where not exists (${COUNTS_ALREADY})),
      free as materialized (
        select m.* from missing m join limit_groups g on g.id = m.group_id
        where (
          select count(*) from limit_uses u
          where u.group_id = m.group_id and u.key = m.key and u.at > ? - g.period_seconds * 1000
        ) < g.max_runs
      )
      insert into limit_uses (group_id, key, execution_id, at, is_over_limit)
      select group_id, key, execution_id, ?, 0 from free
      where (select count(*) from free) = (select count(*) from missing)`,
      [...params, now, now],
    ),
    statement(`${text} select count(*) as missing from wanted w where not exists (${COUNTS_ALREADY})`, params),
  ]);
  const [missing] = results[1] === undefined ? [] : rowsOf(results[1]);
  return missing?.["missing"] === 0;
}

/** Why uses could not be reserved: what their groups allow, and who uses them. */
export async function findWanted(db: Database, uses: readonly LimitUse[], now: number): Promise<WantedUse[]> {
  const { text, params } = wantedRows(uses);
  const [result] = await db.read([
    {
      sql: `${text}
      select w.*, g.name, g.max_runs, g.period_seconds, g.when_reached, exists (${COUNTS_ALREADY}) as is_used,
        u.execution_id as by, u.at
      from wanted w left join limit_groups g on g.id = w.group_id
      left join limit_uses u on u.group_id = w.group_id and u.key = w.key and u.at > ? - g.period_seconds * 1000
        and u.execution_id <> w.execution_id
      order by u.at desc`,
      params: [...params, now],
    },
  ]);
  const rows = result === undefined ? [] : rowsOf(result);
  return uses.map((use) => {
    const own = rows.filter((row) => row["group_id"] === use.groupId && row["key"] === use.key);
    const [first] = own;
    return {
      ...use,
      group: first === undefined || first["name"] === null ? null : toGroup(first),
      isUsed: first?.["is_used"] === 1,
      others: own.flatMap((row) =>
        typeof row["by"] === "string" ? [{ executionId: row["by"], at: Number(row["at"]) }] : [],
      ),
    };
  });
}

/** For uses that a person approved beyond their limits. */
export function insertOverLimit(uses: readonly LimitUse[], at: number): Statement {
  const rows = uses.map((use) => ({ ...use, at, isOverLimit: true }));
  return insertRows(limitUses, rows, "on conflict do nothing");
}

/** The uses of a group after a time, newest first, with the workflows of their executions. */
export function listUses(db: Database, groupId: string, after: number, limit: number) {
  return db
    .select({ use: limitUses, workflowId: executions.workflowId })
    .from(limitUses)
    .leftJoin(executions, eq(executions.id, limitUses.executionId))
    .where(and(eq(limitUses.groupId, groupId), gt(limitUses.at, after)))
    .orderBy(desc(limitUses.at))
    .limit(limit);
}

/** Deletes up to `limit` uses from before a time, and returns their number. */
export async function deleteUsesBefore(db: Database, before: number, limit: number): Promise<number> {
  const old = db
    .select({ rowid: sql`rowid` })
    .from(limitUses)
    .where(lt(limitUses.at, before))
    .limit(limit);
  const rows = await db
    .delete(limitUses)
    .where(inArray(sql`rowid`, old))
    .returning({ key: limitUses.key });
  return rows.length;
}

const COUNTS_ALREADY = `select 1 from limit_uses own
  where own.group_id = w.group_id and own.key = w.key and own.execution_id = w.execution_id`;

function wantedRows(uses: readonly LimitUse[]): { text: string; params: string[] } {
  return {
    text: `with wanted(group_id, key, execution_id) as (values ${uses.map(() => "(?, ?, ?)").join(", ")})`,
    params: uses.flatMap(({ groupId, key, executionId }) => [groupId, key, executionId]),
  };
}

function toGroup(row: Row): NonNullable<WantedUse["group"]> {
  return {
    name: String(row["name"]),
    maxRuns: Number(row["max_runs"]),
    periodSeconds: Number(row["period_seconds"]),
    whenReached: row["when_reached"] === "approve" ? "approve" : "end",
  };
}

function statement(text: string, params: unknown[]): Statement {
  return { toSQL: () => ({ sql: text, params }) };
}
