import { and, asc, desc, eq, gt, gte, inArray, lt, lte, sql } from "drizzle-orm";
import type { SQL } from "drizzle-orm";
import { unionAll } from "drizzle-orm/sqlite-core";
import type { JsonObject } from "../../schema/contract/json.ts";
import { agents, auditLog, connections, workflows } from "../../schema/tables/index.ts";
import type { Database, Statement } from "./database.ts";

export interface AuditRow {
  id: string;
  at: number;
  actor: string;
  verb: string;
  subjectType: string;
  subjectId: string;
  detail: JsonObject;
}

export interface AuditFilter {
  actor: string | undefined;
  verb: string | undefined;
  subjectType: string | undefined;
  subjectId: string | undefined;
  /** Epoch milliseconds, both inclusive. */
  from: number | undefined;
  to: number | undefined;
}

/** For a batch without conditional updates. */
export function insertAudit(db: Database, row: AuditRow): Statement {
  return db.insert(auditLog).values(row);
}

/**
 * For a batch with a conditional update, right behind that update. If the update matched no row, this row has no id:
 * the whole batch then fails as a conflict (`isConflict`).
 */
export function insertAuditIfChanged(db: Database, row: AuditRow): Statement {
  return insertAuditIf(db, row, sql`changes() > 0`);
}

/**
 * For an entry that is written again, perhaps with a new id, when nothing says that it was written: it is known by its
 * subject, verb, time and actor.
 */
export function insertAuditOnce(db: Database, row: AuditRow): Statement {
  const same = sql`select 1 from ${auditLog} where ${auditLog.subjectType} = ${row.subjectType} and ${auditLog.subjectId} = ${row.subjectId}
    and ${auditLog.verb} = ${row.verb} and ${auditLog.at} = ${row.at} and ${auditLog.actor} = ${row.actor}`;
  const { id, at, actor, verb, subjectType, subjectId, detail } = row;
  const values = sql`select ${id}, ${at}, ${actor}, ${verb}, ${subjectType}, ${subjectId}, ${JSON.stringify(detail)} where not exists (${same})`;
  return db.insert(auditLog).select(values);
}

/** Like `insertAuditIfChanged`, for any condition. */
export function insertAuditIf(db: Database, row: AuditRow, condition: SQL) {
  return db.insert(auditLog).values({ ...row, id: sql`case when ${condition} then ${row.id} end` });
}

/** Like `insertAuditIfChanged`, for a row that may exist: it gets the new detail. */
export function replaceAuditIfChanged(db: Database, row: AuditRow): Statement {
  return insertAuditIf(db, row, sql`changes() > 0`).onConflictDoUpdate({
    target: auditLog.id,
    set: { detail: row.detail },
  });
}

/** The newest entry about a subject. */
export async function findNewestAudit(
  db: Database,
  subject: Pick<AuditRow, "subjectType" | "subjectId">,
): Promise<AuditRow | null> {
  const filter = { actor: undefined, verb: undefined, from: undefined, to: undefined, ...subject };
  const [newest = null] = await listAudit(db, filter, { beforeId: null, limit: 1 });
  return newest;
}

/** Newest first, up to `limit`: ids rise with time. */
export function listAudit(
  db: Database,
  filter: AuditFilter,
  page: { beforeId: string | null; limit: number },
): Promise<AuditRow[]> {
  return db
    .select()
    .from(auditLog)
    .where(and(matches(filter), page.beforeId === null ? undefined : lt(auditLog.id, page.beforeId)))
    .orderBy(desc(auditLog.id))
    .limit(page.limit);
}

/** The entries with these ids, oldest first. */
export function findAuditEntries(db: Database, ids: readonly string[]): Promise<AuditRow[]> {
  const these = sql`(select value from json_each(${JSON.stringify(ids)}))`;
  return db
    .select()
    .from(auditLog)
    .where(sql`${auditLog.id} in ${these}`)
    .orderBy(asc(auditLog.id));
}

/** Oldest first, up to `limit`, of those with an id below `beforeId`. */
export function listAuditAfter(
  db: Database,
  filter: AuditFilter,
  page: { afterId: string | null; beforeId: string; limit: number },
): Promise<AuditRow[]> {
  return db
    .select()
    .from(auditLog)
    .where(
      and(
        matches(filter),
        lt(auditLog.id, page.beforeId),
        page.afterId === null ? undefined : gt(auditLog.id, page.afterId),
      ),
    )
    .orderBy(asc(auditLog.id))
    .limit(page.limit);
}

function matches(filter: AuditFilter): SQL | undefined {
  return and(
    filter.actor === undefined ? undefined : eq(auditLog.actor, filter.actor),
    filter.verb === undefined ? undefined : eq(auditLog.verb, filter.verb),
    filter.subjectType === undefined ? undefined : eq(auditLog.subjectType, filter.subjectType),
    filter.subjectId === undefined ? undefined : eq(auditLog.subjectId, filter.subjectId),
    filter.from === undefined ? undefined : gte(auditLog.at, filter.from),
    filter.to === undefined ? undefined : lte(auditLog.at, filter.to),
  );
}

/** The present names of these workflows, agents and connections, by id. */
export async function findNames(db: Database, ids: readonly string[]): Promise<Map<string, string>> {
  const wanted = [...new Set(ids)];
  const rows = await unionAll(
    db.select({ id: workflows.id, name: workflows.name }).from(workflows).where(inArray(workflows.id, wanted)),
    db.select({ id: agents.id, name: agents.name }).from(agents).where(inArray(agents.id, wanted)),
    db.select({ id: connections.id, name: connections.name }).from(connections).where(inArray(connections.id, wanted)),
  );
  return new Map(rows.map(({ id, name }) => [id, name]));
}

/** The first entries about one thing, oldest first. */
export function findEarliestAudit(
  db: Database,
  subjectType: string,
  subjectId: string,
  limit: number,
): Promise<AuditRow[]> {
  return db
    .select()
    .from(auditLog)
    .where(and(eq(auditLog.subjectType, subjectType), eq(auditLog.subjectId, subjectId)))
    .orderBy(asc(auditLog.id))
    .limit(limit);
}
