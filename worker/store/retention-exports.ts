import { and, eq, isNull, sql } from "drizzle-orm";
import type { ExportedKind } from "../../schema/contract/retention.ts";
import { retentionExports } from "../../schema/tables/index.ts";
import type { RetentionExportRow } from "../../schema/tables/index.ts";
import { writeBatch } from "./database.ts";
import type { Database, Statement } from "./database.ts";

export type { RetentionExportRow };

export function findExports(db: Database): Promise<RetentionExportRow[]> {
  return db.select().from(retentionExports);
}

export async function findExport(db: Database, kind: ExportedKind): Promise<RetentionExportRow | null> {
  return (await db.select().from(retentionExports).where(eq(retentionExports.kind, kind)).get()) ?? null;
}

/** Begins the export of these ids. False when another pass has begun one. */
export async function beginPortion(db: Database, kind: ExportedKind, portion: string): Promise<boolean> {
  const [begun] = await writeBatch(db, [
    db
      .insert(retentionExports)
      .values({ kind, portion })
      .onConflictDoUpdate({
        target: retentionExports.kind,
        set: { portion },
        setWhere: isNull(retentionExports.portion),
      }),
  ]);
  return begun?.rowsAffected === 1;
}

export async function isPortion(db: Database, kind: ExportedKind, portion: string): Promise<boolean> {
  return (await findExport(db, kind))?.portion === portion;
}

/**
 * For the batch that deletes the records of a portion, before the deletions. Without that portion the batch fails as a
 * conflict: another pass has deleted them, or their period has become longer. A problem with some of the records, which
 * stay, is a first failure each time: the others go on after the shortest time.
 */
export function endPortion(
  db: Database,
  kind: ExportedKind,
  portion: string,
  done: { rows: number; bytes: number; at: number; problem: string | null },
): Statement[] {
  return [
    db
      .update(retentionExports)
      .set({
        portion: null,
        rows: sql`${retentionExports.rows} + ${done.rows}`,
        bytes: sql`${retentionExports.bytes} + ${done.bytes}`,
        exportedAt: done.at,
        ...(done.problem === null
          ? { failures: 0, failingSince: null, failedAt: null, error: null }
          : { failures: 1, failingSince: sinceFirst(done.at), failedAt: done.at, error: done.problem }),
      })
      .where(and(eq(retentionExports.kind, kind), eq(retentionExports.portion, portion))),
    // A kind without a name is refused.
    db
      .insert(retentionExports)
      .values({ kind: sql`case when changes() > 0 then ${kind} end` })
      .onConflictDoNothing(),
  ];
}

/** Forgets a portion, so that the next pass looks again for what is due. */
export function dropPortion(db: Database, kind: ExportedKind): Statement {
  return db.update(retentionExports).set({ portion: null }).where(eq(retentionExports.kind, kind));
}

export function saveFailure(db: Database, kind: ExportedKind, error: string, now: number): Statement {
  return db
    .insert(retentionExports)
    .values({ kind, failures: 1, failingSince: now, failedAt: now, error })
    .onConflictDoUpdate({
      target: retentionExports.kind,
      set: {
        failures: sql`${retentionExports.failures} + 1`,
        failingSince: sinceFirst(now),
        failedAt: now,
        error,
      },
    });
}

function sinceFirst(now: number) {
  return sql`coalesce(${retentionExports.failingSince}, ${now})`;
}
