import { and, asc, desc, eq, gt, lt, lte, sql } from "drizzle-orm";
import type { MaintenanceState } from "../../schema/contract/maintenance.ts";
import { maintenanceWindows } from "../../schema/tables/index.ts";
import type { MaintenanceWindowRow } from "../../schema/tables/index.ts";
import { writeBatch } from "./database.ts";
import type { Database, Statement } from "./database.ts";

export type { MaintenanceWindowRow };

export async function findMaintenanceWindow(db: Database, id: string): Promise<MaintenanceWindowRow | null> {
  return (await db.select().from(maintenanceWindows).where(eq(maintenanceWindows.id, id)).get()) ?? null;
}

/** Newest first, up to `limit`; `now` decides on the state. */
export function listMaintenanceWindows(
  db: Database,
  page: { beforeId: string | null; limit: number; state: MaintenanceState | null },
  now: number,
): Promise<MaintenanceWindowRow[]> {
  const { id, startsAt, endsAt } = maintenanceWindows;
  const states = {
    planned: gt(startsAt, now),
    open: and(lte(startsAt, now), gt(endsAt, now)),
    ended: lte(endsAt, now),
  };
  return db
    .select()
    .from(maintenanceWindows)
    .where(
      and(
        page.beforeId === null ? undefined : lt(id, page.beforeId),
        page.state === null ? undefined : states[page.state],
      ),
    )
    .orderBy(desc(id))
    .limit(page.limit);
}

/** Those that have not ended, planned ones too. */
export function unfinishedWindows(db: Database, now: number, limit: number): Promise<MaintenanceWindowRow[]> {
  return db
    .select()
    .from(maintenanceWindows)
    .where(gt(maintenanceWindows.endsAt, now))
    .orderBy(asc(maintenanceWindows.endsAt))
    .limit(limit);
}

/** Deletes up to `limit` windows that ended by a time and of whose suppressed executions none is left. Returns how many. */
export async function deleteOldWindows(db: Database, endedUntil: number, limit: number): Promise<number> {
  // As in the index, of which SQLite uses one only where it sees its condition.
  const suppressed = sql`select 1 from executions e where e."suppressed" is not null
    and (e."suppressed" ->> '$.windowId') = maintenance_windows.id`;
  const old = sql`select id from maintenance_windows where ends_at <= ${endedUntil} and not exists (${suppressed}) limit ${limit}`;
  const [deleted] = await writeBatch(db, [db.delete(maintenanceWindows).where(sql`id in (${old})`)]);
  return deleted?.rowsAffected ?? 0;
}

export function insertMaintenanceWindow(db: Database, row: MaintenanceWindowRow): Statement {
  return db.insert(maintenanceWindows).values(row);
}

/** A conditional update: it meets no row when the window has changed since it was read. */
export function updateMaintenanceWindow(db: Database, { id, ...row }: MaintenanceWindowRow): Statement {
  return db
    .update(maintenanceWindows)
    .set(row)
    .where(and(eq(maintenanceWindows.id, id), eq(maintenanceWindows.revision, row.revision - 1)));
}

export function deleteMaintenanceWindowRow(db: Database, { id, revision }: MaintenanceWindowRow): Statement {
  return db
    .delete(maintenanceWindows)
    .where(and(eq(maintenanceWindows.id, id), eq(maintenanceWindows.revision, revision)));
}
