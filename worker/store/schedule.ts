import { and, asc, desc, eq, gt, isNull, lt, lte, or, sql } from "drizzle-orm";
import type { Trigger } from "../../schema/contract/workflow.ts";
import { missedRuns, workflowVersions, workflows } from "../../schema/tables/index.ts";
import type { MissedRunRow } from "../../schema/tables/index.ts";
import type { CountedRuns } from "../domain/cron/index.ts";
import type { ScheduleMove } from "../domain/cron/decide-runs.ts";
import { writeBatch } from "./database.ts";
import type { Database, Statement } from "./database.ts";
import { isConflict } from "./errors.ts";
import { addTotals } from "./totals.ts";

export type { MissedRunRow };

/** A schedule as the tick has read it: the workflow is published and active. */
export interface SeenSchedule {
  workflowId: string;
  versionId: string;
  /** When it was due (epoch ms); null when that was not computed. */
  dueAt: number | null;
}

export interface DueWorkflow extends SeenSchedule {
  trigger: Trigger;
}

/** Active workflows whose schedule is due by `now`, the longest overdue first. `after` ends the previous page. */
export function dueWorkflows(
  db: Database,
  now: number,
  page: { after: SeenSchedule | null; limit: number },
): Promise<(DueWorkflow & { dueAt: number })[]> {
  return selectScheduled(db, and(lte(workflows.nextRunAt, now), page.after === null ? undefined : behind(page.after)))
    .orderBy(asc(workflows.nextRunAt), asc(workflows.id))
    .limit(page.limit)
    .then((rows) => rows.flatMap((row) => (row.dueAt === null ? [] : [{ ...row, dueAt: row.dueAt }])));
}

/** Active scheduled workflows without a next time. There should be none. */
export function workflowsWithoutNextRun(db: Database, limit: number): Promise<DueWorkflow[]> {
  return selectScheduled(db, isNull(workflows.nextRunAt)).limit(limit);
}

/**
 * Sets a schedule's next time, if the schedule is still as read. A workflow that was deactivated, unpublished,
 * published again or moved by another tick is not matched; `ifChanged` in the next statement then fails the batch.
 */
export function moveSchedule(db: Database, seen: SeenSchedule, nextRunAt: number | null): Statement {
  const { workflowId, versionId, dueAt } = seen;
  return db
    .update(workflows)
    .set({ nextRunAt })
    .where(
      and(
        eq(workflows.id, workflowId),
        eq(workflows.active, true),
        eq(workflows.publishedVersionId, versionId),
        dueAt === null ? isNull(workflows.nextRunAt) : eq(workflows.nextRunAt, dueAt),
      ),
    );
}

/**
 * A value for a NOT NULL column right behind a conditional update. If the update matched no row, the whole batch fails
 * as a conflict.
 */
export function ifChanged<T extends string | number>(value: T) {
  return sql<T>`case when changes() > 0 then ${value} end`;
}

/** A gap that is reported twice stays one row. `workflowId` may be an `ifChanged`. */
export function insertMissedRuns(
  db: Database,
  workflowId: string | ReturnType<typeof ifChanged<string>>,
  { first, last, count }: CountedRuns,
  recordedAt: number,
): Statement {
  return db
    .insert(missedRuns)
    .values({ workflowId, firstDueAt: first, lastDueAt: last, count, recordedAt })
    .onConflictDoUpdate({
      target: [missedRuns.workflowId, missedRuns.firstDueAt],
      set: {
        lastDueAt: sql`max(${missedRuns.lastDueAt}, excluded.last_due_at)`,
        count: sql`max(${missedRuns.count}, excluded.count)`,
      },
    });
}

/** Overflows that follow each other within a minute are one span. */
const OVERFLOW_SPAN_MS = 60_000;

/** Records a run that found too many others with its key waiting. */
export function addOverflow(db: Database, workflowId: string, at: number): Statement[] {
  const isPresentSpan = and(
    eq(missedRuns.workflowId, workflowId),
    eq(missedRuns.reason, "queue_full"),
    gt(missedRuns.firstDueAt, at - 60 * OVERFLOW_SPAN_MS),
    gt(missedRuns.lastDueAt, at - OVERFLOW_SPAN_MS),
  );
  return [
    db
      .update(missedRuns)
      .set({ lastDueAt: at, count: sql`${missedRuns.count} + 1` })
      .where(isPresentSpan),
    db.insert(missedRuns).select(sql`select ${workflowId}, ${at}, ${at}, 1, ${at}, 'queue_full' where changes() = 0`),
  ];
}

/** Moves a schedule without starting anything. False when it is no longer as read. */
export async function skipRuns(db: Database, seen: SeenSchedule, move: ScheduleMove): Promise<boolean> {
  const update = moveSchedule(db, seen, move.nextRunAt);
  if (move.missed === null) {
    const [result] = await writeBatch(db, [update]);
    return result !== undefined && result.rowsAffected > 0;
  }
  try {
    await writeBatch(db, [
      update,
      insertMissedRuns(db, ifChanged(seen.workflowId), move.missed, move.recordedAt),
      ...addTotals([["missedRuns", move.missed.count]]),
    ]);
    return true;
  } catch (error) {
    if (isConflict(error)) return false;
    throw error;
  }
}

/** Newest first, up to `limit`. */
export function listMissedRuns(
  db: Database,
  workflowId: string,
  page: { before: number | null; limit: number },
): Promise<MissedRunRow[]> {
  const before = page.before === null ? undefined : lt(missedRuns.firstDueAt, page.before);
  return db
    .select()
    .from(missedRuns)
    .where(and(eq(missedRuns.workflowId, workflowId), before))
    .orderBy(desc(missedRuns.firstDueAt))
    .limit(page.limit);
}

function selectScheduled(db: Database, condition: ReturnType<typeof and>) {
  return db
    .select({
      workflowId: workflows.id,
      versionId: workflowVersions.id,
      dueAt: workflows.nextRunAt,
      trigger: workflowVersions.trigger,
    })
    .from(workflows)
    .innerJoin(workflowVersions, eq(workflowVersions.id, workflows.publishedVersionId))
    .where(and(eq(workflows.publishedTriggerType, "cron"), eq(workflows.active, true), condition));
}

function behind({ workflowId, dueAt }: SeenSchedule) {
  const at = dueAt ?? 0;
  return or(gt(workflows.nextRunAt, at), and(eq(workflows.nextRunAt, at), gt(workflows.id, workflowId)));
}
