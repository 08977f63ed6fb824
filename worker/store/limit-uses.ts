import { and, desc, eq, gt, inArray, lt, sql } from "drizzle-orm";
import type { LimitUse, WhenReached } from "../../schema/contract/limit-group.ts";
import { executions, limitUses } from "../../schema/tables/index.ts";
import { rowsOf, writeBatch } from "./database.ts";
import type { Database, Row, Statement } from "./database.ts";
import { insertRows } from "./fixed-statements.ts";

/** A wanted use, with its present group and the uses that count. */
export interface WantedUse extends LimitUse {
  /** Null when the group does not exist. */
  readonly group: { name: string; maxRuns: number; periodSeconds: number; whenReached: WhenReached } | null;
  /** Whether it counts already. */
  readonly isUsed: boolean;
  /** The executions of the newest uses, as many as were asked for. */
  readonly newest: readonly string[];
  /** The time of the use that must be a period old before the next run; null while the group has room. */
  readonly lastAt: number | null;
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

/** Why uses could not be reserved: what their groups allow, and who uses them: `names` executions at most. */
export async function findWanted(
  db: Database,
  uses: readonly LimitUse[],
  now: number,
  names: number,
): Promise<WantedUse[]> {
  const groups = await findGroups(db, uses);
  const results = await db.read(
    groups.flatMap(({ groupId, key, group }) => {
      const counting = "from limit_uses u where u.group_id = ? and u.key = ? and u.at > ? order by u.at desc";
      const params = [groupId, key, now - (group?.periodSeconds ?? 0) * 1_000];
      return [
        { sql: `select u.execution_id as by ${counting} limit ?`, params: [...params, names] },
        { sql: `select u.at ${counting} limit 1 offset ?`, params: [...params, (group?.maxRuns ?? 1) - 1] },
      ];
    }),
  );
  const rows = results.map(rowsOf);
  return groups.map((wanted, index) => {
    const last = rows[2 * index + 1]?.[0];
    return {
      ...wanted,
      newest: (rows[2 * index] ?? []).map(({ by }) => String(by)),
      lastAt: last === undefined ? null : Number(last["at"]),
    };
  });
}

async function findGroups(db: Database, uses: readonly LimitUse[]): Promise<Omit<WantedUse, "newest" | "lastAt">[]> {
  const { text, params } = wantedRows(uses);
  const [result] = await db.read([
    {
      sql: `${text}
      select w.*, g.name, g.max_runs, g.period_seconds, g.when_reached, exists (${COUNTS_ALREADY}) as is_used
      from wanted w left join limit_groups g on g.id = w.group_id`,
      params,
    },
  ]);
  const rows = result === undefined ? [] : rowsOf(result);
  return uses.map((use) => {
    const own = rows.find((row) => row["group_id"] === use.groupId && row["key"] === use.key);
    const group = own === undefined || own["name"] === null ? null : toGroup(own);
    return { ...use, group, isUsed: own?.["is_used"] === 1 };
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
