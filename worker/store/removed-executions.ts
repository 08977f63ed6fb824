import { asc, eq, inArray, notExists, sql } from "drizzle-orm";
import type { SQL } from "drizzle-orm";
import {
  batchedEvents,
  executionEvents,
  executions,
  jobs,
  nodeRunOutputs,
  nodeRuns,
  removedExecutions,
  staleResults,
  unreportedFailures,
} from "../../schema/tables/index.ts";
import { readRows, rowsOfAll, writeBatch } from "./database.ts";
import type { Database, Statement } from "./database.ts";
import { countDeleted } from "./retention.ts";
import { isBeingRepeated, treeOf } from "./retention-due.ts";

/**
 * Deletes executions with those that their nodes started, all at once: from then on they are unknown. What belongs to
 * them is deleted later, by `deletePartsOfRemoved`. One that was started again since it was chosen stays. The statements
 * `before` are in the same batch. Returns how many executions are gone.
 */
export async function removeExecutions(
  db: Database,
  ids: readonly string[],
  now: number,
  before: readonly Statement[] = [],
): Promise<number> {
  const roots = sql`select j.value from json_each(${JSON.stringify(ids)}) j where not ${isBeingRepeated(sql`j.value`)}`;
  const removed = db.select({ id: removedExecutions.id }).from(removedExecutions);
  const results = await writeBatch(db, [
    ...before,
    db
      .insert(removedExecutions)
      .select(
        sql`with recursive tree(id) as (${treeOf(roots)})
          select tree.id, ${now} from tree join executions on executions.id = tree.id where true`,
      )
      .onConflictDoNothing(),
    db.delete(executions).where(inArray(executions.id, removed)),
    countDeleted(db, "executions"),
  ]);
  return results.at(-2)?.rowsAffected ?? 0;
}

/**
 * The first of these executions, as many as one portion may have with those that their nodes started: at least one. The
 * bytes are those of triggers, outputs and jobs.
 */
export async function firstTrees(
  db: Database,
  ids: readonly string[],
  most: { executions: number; bytes: number },
): Promise<string[]> {
  const first: string[] = [];
  let [executions, bytes] = [0, 0];
  // Few at first: a large one takes long to measure, and leaves no room for others.
  for (let width = MEASURED_AT_FIRST; first.length < ids.length; width *= 2) {
    const some = ids.slice(first.length, first.length + width);
    const sizes = await sizesOfTrees(db, some);
    for (const id of some) {
      const size = sizes.get(id);
      executions += size?.executions ?? 0;
      bytes += size?.bytes ?? 0;
      if (first.length > 0 && (executions > most.executions || bytes > most.bytes)) return first;
      first.push(id);
    }
  }
  return first;
}

const MEASURED_AT_FIRST = 5;

async function sizesOfTrees(
  db: Database,
  ids: readonly string[],
): Promise<Map<string, { executions: number; bytes: number }>> {
  const sizeOf = (table: SQL, texts: SQL) =>
    sql`(select coalesce(sum(${texts}), 0) from ${table} p where p.execution_id = e.id)`;
  const [rows = []] = await readRows(db, [
    sql`with recursive tree(root, id) as (
        select value, value from json_each(${JSON.stringify(ids)})
        union select tree.root, c.id from tree join executions c on c.parent_execution_id = tree.id)
      select tree.root, count(*) as executions, sum(octet_length(e.trigger)
        + ${sizeOf(sql`node_run_outputs`, sql`coalesce(octet_length(p.output), 0)`)}
        + ${sizeOf(sql`jobs`, sql`octet_length(p."order") + coalesce(octet_length(p.output), 0)`)}) as bytes
      from tree join executions e on e.id = tree.id group by tree.root`,
  ]);
  return new Map(
    rows.map((row) => [String(row["root"]), { executions: Number(row["executions"]), bytes: Number(row["bytes"]) }]),
  );
}

/** These executions and those that their nodes started, as far as they exist, oldest first. */
export async function findTrees(db: Database, ids: readonly string[]): Promise<string[]> {
  const roots = sql`select value from json_each(${JSON.stringify(ids)})`;
  const [rows = []] = await readRows(db, [
    sql`with recursive tree(id) as (${treeOf(roots)})
      select tree.id as id from tree join executions on executions.id = tree.id order by tree.id`,
  ]);
  return rows.map(({ id }) => String(id));
}

/**
 * Deletes up to `rows` rows of each table that belong to the executions that were removed first, and up to `bytes` of
 * outputs and of jobs, but one of each at least. The newest event of all stays: its row number is the position of event
 * streams. Returns how many rows are gone.
 */
export async function deletePartsOfRemoved(
  db: Database,
  limits: { executions: number; rows: number; bytes: number },
): Promise<number> {
  const oldest = await db
    .select({ id: removedExecutions.id })
    .from(removedExecutions)
    .orderBy(asc(removedExecutions.removedAt))
    .limit(limits.executions);
  if (oldest.length === 0) return 0;
  const these = oldest.map(({ id }) => id);
  // The first rows of which those before have less than `bytes`.
  const fitting = (column: SQL, table: typeof nodeRunOutputs | typeof jobs, texts: SQL) =>
    sql`select which from (
      select which, coalesce(sum(bytes) over (order by which rows between unbounded preceding and 1 preceding), 0) as bytes_before
      from (select ${column} as which, ${texts} as bytes from ${table} where ${inArray(table.executionId, these)} limit ${limits.rows})
    ) where bytes_before < ${limits.bytes}`;
  const some = (table: typeof batchedEvents | typeof nodeRuns) =>
    db
      .select({ rowid: sql`rowid` })
      .from(table)
      .where(inArray(table.executionId, these))
      .limit(limits.rows);
  const newest = sql`(select max(rowid) from ${executionEvents})`;
  const events = db
    .select({ rowid: sql`rowid` })
    .from(executionEvents)
    .where(sql`${inArray(executionEvents.executionId, these)} and rowid < ${newest}`)
    .limit(limits.rows);
  const theirOutputs = fitting(sql`rowid`, nodeRunOutputs, sql`coalesce(octet_length(output), 0)`);
  const theirJobs = fitting(sql`id`, jobs, sql`octet_length("order") + coalesce(octet_length(output), 0)`);
  const left = (
    table: typeof batchedEvents | typeof nodeRunOutputs | typeof jobs | typeof nodeRuns | typeof executionEvents,
  ) =>
    notExists(
      db
        .select({ one: sql`1` })
        .from(table)
        .where(eq(table.executionId, removedExecutions.id)),
    );
  const results = await writeBatch(db, [
    db.delete(nodeRunOutputs).where(sql`rowid in (${theirOutputs})`),
    db.delete(staleResults).where(sql`${staleResults.jobId} in (${theirJobs})`),
    db.delete(jobs).where(sql`${jobs.id} in (${theirJobs})`),
    db.delete(nodeRuns).where(inArray(sql`rowid`, some(nodeRuns))),
    db.delete(batchedEvents).where(inArray(sql`rowid`, some(batchedEvents))),
    db.delete(unreportedFailures).where(inArray(unreportedFailures.executionId, these)),
    db.delete(executionEvents).where(inArray(sql`rowid`, events)),
    db
      .delete(removedExecutions)
      .where(
        sql`${inArray(removedExecutions.id, these)} and ${left(nodeRunOutputs)} and ${left(jobs)} and ${left(nodeRuns)} and ${left(batchedEvents)} and ${left(executionEvents)}`,
      ),
  ]);
  return rowsOfAll(results);
}
