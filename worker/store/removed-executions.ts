import { asc, eq, inArray, notExists, sql } from "drizzle-orm";
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
 * Deletes up to `rows` rows of each table that belong to the executions that were removed first. The newest event of
 * all stays: its row number is the position of event streams. Returns how many rows are gone.
 */
export async function deletePartsOfRemoved(
  db: Database,
  limits: { executions: number; rows: number },
): Promise<number> {
  const oldest = await db
    .select({ id: removedExecutions.id })
    .from(removedExecutions)
    .orderBy(asc(removedExecutions.removedAt))
    .limit(limits.executions);
  if (oldest.length === 0) return 0;
  const these = oldest.map(({ id }) => id);
  const some = (table: typeof batchedEvents | typeof nodeRunOutputs | typeof nodeRuns) =>
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
  const theirJobs = db.select({ id: jobs.id }).from(jobs).where(inArray(jobs.executionId, these)).limit(limits.rows);
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
    db.delete(nodeRunOutputs).where(inArray(sql`rowid`, some(nodeRunOutputs))),
    db.delete(staleResults).where(inArray(staleResults.jobId, theirJobs)),
    db.delete(jobs).where(inArray(jobs.id, theirJobs)),
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
