import { and, desc, eq, gte, inArray, lt, lte, sql } from "drizzle-orm";
import type { IncidentStatus, Severity } from "../../schema/contract/incident.ts";
import { incidents } from "../../schema/tables/index.ts";
import type { IncidentRow } from "../../schema/tables/index.ts";
import type { Database, Statement } from "./database.ts";

export type { IncidentRow };

export interface IncidentFilter {
  status: IncidentStatus | undefined;
  severity: Severity | undefined;
  service: string | undefined;
  source: string | undefined;
  /** Epoch milliseconds of creation, both inclusive. */
  createdFrom: number | undefined;
  createdTo: number | undefined;
}

/** A literal, because with a bound value SQLite does not use the partial index of open keys. */
const IS_OPEN = sql`${incidents.status} <> 'resolved'`;

export async function findIncident(db: Database, id: string): Promise<IncidentRow | null> {
  return (await db.select().from(incidents).where(eq(incidents.id, id)).get()) ?? null;
}

export function findIncidents(db: Database, ids: readonly string[]): Promise<IncidentRow[]> {
  return db
    .select()
    .from(incidents)
    .where(inArray(incidents.id, [...ids]));
}

/** The open incidents of these keys, at most one for each key. */
export function findOpenIncidents(db: Database, dedupKeys: readonly string[]): Promise<IncidentRow[]> {
  return db
    .select()
    .from(incidents)
    .where(and(inArray(incidents.dedupKey, [...dedupKeys]), IS_OPEN));
}

/** Newest first, up to `limit`. */
export function listIncidents(
  db: Database,
  filter: IncidentFilter,
  page: { beforeId: string | null; limit: number },
): Promise<IncidentRow[]> {
  return db
    .select()
    .from(incidents)
    .where(
      and(
        filter.status === undefined ? undefined : eq(incidents.status, filter.status),
        filter.severity === undefined ? undefined : eq(incidents.severity, filter.severity),
        filter.service === undefined ? undefined : eq(incidents.service, filter.service),
        filter.source === undefined ? undefined : eq(incidents.source, filter.source),
        filter.createdFrom === undefined ? undefined : gte(incidents.createdAt, filter.createdFrom),
        filter.createdTo === undefined ? undefined : lte(incidents.createdAt, filter.createdTo),
        page.beforeId === null ? undefined : lt(incidents.id, page.beforeId),
      ),
    )
    .orderBy(desc(incidents.id))
    .limit(page.limit);
}

/** Fails as a conflict when an open incident already has its key. */
export function insertIncident(db: Database, row: typeof incidents.$inferInsert): Statement {
  return db.insert(incidents).values(row);
}

/** A conditional update: matches no row when the incident has changed since `revision`. */
export function updateIncident(
  db: Database,
  seen: Pick<IncidentRow, "id" | "revision">,
  changes: Partial<Omit<IncidentRow, "id" | "revision" | "createdAt" | "dedupKey">>,
): Statement {
  return db
    .update(incidents)
    .set({ ...changes, revision: seen.revision + 1 })
    .where(and(eq(incidents.id, seen.id), eq(incidents.revision, seen.revision)));
}

/**
 * Goes right behind `updateIncident`: the whole batch fails as a conflict when that matched no row.
 * `insertAuditIfChanged` does the same, so a batch with an audit entry does not need this.
 */
export const FAIL_UNLESS_CHANGED: Statement = {
  toSQL: () => ({ sql: "insert into incidents (id) select null where changes() = 0", params: [] }),
};
