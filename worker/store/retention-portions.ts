import { asc, eq, inArray, lt, notExists, sql } from "drizzle-orm";
import type { SQL } from "drizzle-orm";
import type { RetainedKind } from "../../schema/contract/retention.ts";
import {
  auditLog,
  executionEvents,
  incidentEvents,
  incidents,
  integrationDeliveries,
  missedRuns,
  staleResults,
} from "../../schema/tables/index.ts";
import { readRows, writeBatch } from "./database.ts";
import type { Database, Statement } from "./database.ts";
import { countDeleted, findProgress, saveProgress } from "./retention.ts";
import { dueRows } from "./retention-due.ts";
import type { DueAt } from "./retention-due.ts";

const TABLES = {
  missedRuns,
  deliveries: integrationDeliveries,
  lateResults: staleResults,
} as const satisfies Partial<Record<RetainedKind, unknown>>;

/** Kinds of which a row is all. */
export type PlainKind = keyof typeof TABLES;
export const PLAIN_KINDS = ["missedRuns", "deliveries", "lateResults"] as const satisfies PlainKind[];

/** Deletes up to `limit` due rows. Returns how many. */
export async function deleteDueRows(db: Database, kind: PlainKind, due: DueAt, limit: number): Promise<number> {
  const [deleted] = await writeBatch(db, [
    db.delete(TABLES[kind]).where(sql`rowid in (${dueRows(kind, due)} limit ${limit})`),
    countDeleted(db, kind),
  ]);
  return deleted?.rowsAffected ?? 0;
}

/** The ids of due entries of the audit log, oldest first. */
export async function findDueAudit(db: Database, { firstAudit }: DueAt, limit: number): Promise<string[]> {
  const rows = await db
    .select({ id: auditLog.id })
    .from(auditLog)
    .where(lt(auditLog.id, firstAudit))
    .orderBy(asc(auditLog.id))
    .limit(limit);
  return rows.map(({ id }) => id);
}

/** Deletes these entries. The statements `before` are in the same batch. Returns how many are gone. */
export async function deleteAudit(db: Database, ids: readonly string[], before: readonly Statement[]): Promise<number> {
  const results = await writeBatch(db, [
    ...before,
    db.delete(auditLog).where(sql`${auditLog.id} in (select value from json_each(${JSON.stringify(ids)}))`),
    countDeleted(db, "audit"),
  ]);
  return results.at(-2)?.rowsAffected ?? 0;
}

/** Deletes due incidents, each after its events. Returns the number of rows. */
export async function deleteDueIncidents(
  db: Database,
  due: DueAt,
  limits: { incidents: number; rows: number },
): Promise<number> {
  const [found = []] = await readRows(db, [sql`${dueRows("incidents", due)} limit ${limits.incidents}`]);
  if (found.length === 0) return 0;
  const these = found.map(({ rowid }) => Number(rowid));
  const ids = db
    .select({ id: incidents.id })
    .from(incidents)
    .where(inArray(sql`rowid`, these));
  const events = db
    .select({ rowid: sql`rowid` })
    .from(incidentEvents)
    .where(inArray(incidentEvents.incidentId, ids))
    .limit(limits.rows);
  const eventsLeft = db
    .select({ one: sql`1` })
    .from(incidentEvents)
    .where(eq(incidentEvents.incidentId, incidents.id));
  const [deletedEvents, deleted] = await writeBatch(db, [
    db.delete(incidentEvents).where(inArray(sql`rowid`, events)),
    db.delete(incidents).where(sql`${inArray(sql`rowid`, these)} and ${notExists(eventsLeft)}`),
    countDeleted(db, "incidents"),
  ]);
  return (deletedEvents?.rowsAffected ?? 0) + (deleted?.rowsAffected ?? 0);
}

/**
 * Deletes events of executions, oldest first, but of each execution the event with the highest revision: it is the guard
 * against a repeated step. Looks at up to `limit` events that happened by a time, each once. Returns how many it looked
 * at.
 */
export async function deleteOldEvents(db: Database, until: number, limit: number): Promise<number> {
  const { eventsUpTo } = await findProgress(db);
  // A database that was compacted has new, lower row numbers.
  const after = sql`(select case when max(rowid) < ${eventsUpTo} then 0 else ${eventsUpTo} end from execution_events)`;
  const [rows = []] = await readRows(db, [
    sql`select rowid, at from execution_events where rowid > ${after} order by rowid limit ${limit}`,
  ]);
  const firstKept = rows.findIndex(({ at }) => Number(at) > until);
  const old = firstKept < 0 ? rows : rows.slice(0, firstKept);
  const last = old.at(-1);
  if (last === undefined) return 0;
  const upTo = Number(last["rowid"]);
  await writeBatch(db, [
    db.delete(executionEvents).where(isSuperseded(Number(old[0]?.["rowid"]), upTo)),
    saveProgress(db, { eventsUpTo: upTo }),
  ]);
  return old.length;
}

function isSuperseded(from: number, upTo: number): SQL {
  return sql`rowid >= ${from} and rowid <= ${upTo} and exists (select 1 from execution_events later
    where later.execution_id = ${executionEvents.executionId} and later.revision > ${executionEvents.revision})`;
}
