import { eq, sql } from "drizzle-orm";
import type { RetainedKind, RetentionPeriods } from "../../schema/contract/retention.ts";
import { retentionKinds, retentionProgress, retentionSettings } from "../../schema/tables/index.ts";
import type { RetentionKindRow } from "../../schema/tables/index.ts";
import type { ChosenPeriods } from "../domain/retention.ts";
import type { Database, Statement } from "./database.ts";

export type { RetentionKindRow };

/** Each of these tables has one row. */
const ONE = 1;

export interface StoredPeriods extends ChosenPeriods<RetentionPeriods> {
  revision: number;
}

/** The chosen periods; null before the first choice. */
export async function findPeriods(db: Database): Promise<StoredPeriods | null> {
  return (await db.select().from(retentionSettings).where(eq(retentionSettings.id, ONE)).get()) ?? null;
}

/** Changes no row when another caller has changed the periods since `revision` was read. */
export function savePeriods(db: Database, chosen: ChosenPeriods<RetentionPeriods>, revision: number): Statement {
  const row = { periods: chosen.periods, former: chosen.former, revision: revision + 1 };
  return db
    .insert(retentionSettings)
    .values({ id: ONE, ...row })
    .onConflictDoUpdate({
      target: retentionSettings.id,
      set: row,
      setWhere: eq(retentionSettings.revision, revision),
    });
}

export interface RetentionProgress {
  eventsUpTo: number;
  passAt: number | null;
  passMs: number | null;
  passRows: number | null;
  auditedAt: number | null;
}

export async function findProgress(db: Database): Promise<RetentionProgress> {
  const row = await db.select().from(retentionProgress).where(eq(retentionProgress.id, ONE)).get();
  return row ?? { eventsUpTo: 0, passAt: null, passMs: null, passRows: null, auditedAt: null };
}

export function saveProgress(db: Database, changes: Partial<RetentionProgress>): Statement {
  return db
    .insert(retentionProgress)
    .values({ id: ONE, ...changes })
    .onConflictDoUpdate({ target: retentionProgress.id, set: changes });
}

/** For one pass alone: changes no row when another pass has given the counts to the audit log since `seen`. */
export function markAudited(db: Database, now: number, seen: number | null): Statement {
  return db
    .insert(retentionProgress)
    .values({ id: ONE, auditedAt: now })
    .onConflictDoUpdate({
      target: retentionProgress.id,
      set: { auditedAt: now },
      setWhere: sql`${retentionProgress.auditedAt} is ${seen}`,
    });
}

export function findKinds(db: Database): Promise<RetentionKindRow[]> {
  return db.select().from(retentionKinds);
}

/** Directly after a deletion: counts its rows. */
export function countDeleted(db: Database, kind: RetainedKind): Statement {
  return db
    .insert(retentionKinds)
    .values({ kind, deleted: sql`changes()` })
    .onConflictDoUpdate({
      target: retentionKinds.kind,
      set: { deleted: sql`${retentionKinds.deleted} + excluded.deleted` },
    });
}

export function saveAudited(db: Database, kind: RetainedKind, audited: number): Statement {
  return db.update(retentionKinds).set({ audited }).where(eq(retentionKinds.kind, kind));
}

export type CountOfKind = Pick<
  RetentionKindRow,
  "kind" | "countedAt" | "counted" | "countedUpTo" | "countedDeleted" | "bytesPerRow" | "newPerDay"
>;

export function saveCount(db: Database, count: CountOfKind): Statement {
  return db.insert(retentionKinds).values(count).onConflictDoUpdate({ target: retentionKinds.kind, set: count });
}
