import { and, asc, desc, eq, gt, lt, or, sql } from "drizzle-orm";
import { executions, workflows } from "../../schema/tables/index.ts";
import { LISTED } from "./execution-reads.ts";
import type { ExecutionRow } from "../../schema/tables/index.ts";
import type { Database } from "./database.ts";

export interface SuppressedRow {
  execution: ExecutionRow;
  /** The execution that a person started for a skipped one. */
  ranAs: string | null;
}

/** As in the indexes, of which SQLite uses one only where it sees its condition. */
const IN_MAINTENANCE = sql`"hold" ->> '$.code' = 'maintenance'`;

/** The trigger key of the execution that runs a skipped one afterwards: there is one at most. */
export function ranAsKey(executionId: string): string {
  return `maintenance:${executionId}`;
}

function ofWindow(windowId: string) {
  return sql`"suppressed" is not null and ("suppressed" ->> '$.windowId') = ${windowId}`;
}

/** The execution that repeats a skipped one, found by its trigger key. */
const RAN_AS = sql<string | null>`(
  select e.id from executions e
  where e.workflow_id = ${executions}."workflow_id" and e.trigger_key = 'maintenance:' || ${executions}."id"
)`;

/** What a window kept from beginning, newest first, up to `limit`. */
export function listSuppressed(
  db: Database,
  windowId: string,
  page: { beforeId: string | null; limit: number },
): Promise<SuppressedRow[]> {
  return db
    .select({ execution: LISTED, ranAs: RAN_AS })
    .from(executions)
    .where(and(ofWindow(windowId), page.beforeId === null ? undefined : lt(executions.id, page.beforeId)))
    .orderBy(desc(executions.id))
    .limit(page.limit);
}

/** Those of them that no one has run or cancelled, oldest first. */
export function leftSuppressed(
  db: Database,
  windowId: string,
  page: { afterId: string | null; limit: number },
): Promise<{ id: string }[]> {
  const isSkipped = and(sql`("suppressed" ->> '$.as') = 'skipped'`, sql`${RAN_AS} is null`);
  return db
    .select({ id: executions.id })
    .from(executions)
    .where(
      and(
        ofWindow(windowId),
        or(IN_MAINTENANCE, isSkipped),
        page.afterId === null ? undefined : gt(executions.id, page.afterId),
      ),
    )
    .orderBy(asc(executions.id))
    .limit(page.limit);
}

/** Executions that wait until a person begins them, the oldest first. */
export function findAsked(db: Database, limit: number) {
  const { id, workflowId, startedAt, hold, concurrencyKey, limits, suppressed } = executions;
  return db
    .select({
      executionId: id,
      workflowId,
      workflowName: workflows.name,
      startedAt,
      hold,
      keys: { concurrencyKey, limits, suppressed },
    })
    .from(executions)
    .leftJoin(workflows, eq(workflows.id, workflowId))
    .where(and(IN_MAINTENANCE, sql`"hold" ->> '$.until' is null`))
    .orderBy(asc(startedAt))
    .limit(limit);
}

/**
 * Executions that wait for the end of a window that is no longer open, or has changed since it held them; oldest
 * first. Those that wait for a person are not among them.
 */
export function endedHolds(
  db: Database,
  now: number,
  page: { afterId: string | null; limit: number },
): Promise<{ id: string; workflowId: string }[]> {
  const isOpen = sql`exists (
    select 1 from maintenance_windows w
    where w.id = ("hold" ->> '$.window.id') and w.revision = ("hold" ->> '$.window.revision')
      and w.starts_at <= ${now} and w.ends_at > ${now}
  )`;
  return db
    .select({ id: executions.id, workflowId: executions.workflowId })
    .from(executions)
    .where(
      and(
        IN_MAINTENANCE,
        sql`("hold" ->> '$.until') is not null`,
        sql`not ${isOpen}`,
        page.afterId === null ? undefined : gt(executions.id, page.afterId),
      ),
    )
    .orderBy(asc(executions.id))
    .limit(page.limit);
}

/** The execution that repeats this skipped one; null when no person has run it. */
export async function findRanAs(db: Database, { id, workflowId }: ExecutionRow): Promise<string | null> {
  const row = await db
    .select({ id: executions.id })
    .from(executions)
    .where(and(eq(executions.workflowId, workflowId), eq(executions.triggerKey, ranAsKey(id))))
    .get();
  return row?.id ?? null;
}
