import { and, asc, count, eq, isNotNull, isNull, lt, max, notExists, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";
import { executions } from "../../schema/tables/index.ts";
import { readRows } from "./database.ts";
import type { Database } from "./database.ts";

/** The executions that exclude each other: one of them runs, the others wait (docs/design/workflows.md#concurrency). */
export interface RunKey {
  workflowId: string;
  concurrencyKey: string;
}

/** As text: SQLite uses a partial index only where it sees its condition. */
const isOpen = ({ status }: { status: SQLiteColumn }) => sql`${status} = 'running'`;

function openWith({ workflowId, concurrencyKey }: RunKey) {
  return and(eq(executions.workflowId, workflowId), eq(executions.concurrencyKey, concurrencyKey), isOpen(executions));
}

export interface OpenRuns {
  /** The execution that has begun. */
  begun: string | null;
  waiting: number;
  /** Of those that have begun or wait, by the time of their events; null when none is open. */
  newest: string | null;
}

/** By indexes alone: the rows of waiting executions have their triggers in front of `hold`, and there may be thousands. */
export async function openRuns(db: Database, key: RunKey): Promise<OpenRuns> {
  const { id, workflowId, concurrencyKey, hold } = executions;
  const [begun, waiting, newest] = await db.batch([
    db
      .select({ id })
      .from(executions)
      .where(and(openWith(key), isNull(hold))),
    // Only open executions are held.
    db
      .select({ count: count() })
      .from(executions)
      .where(and(eq(workflowId, key.workflowId), eq(concurrencyKey, key.concurrencyKey), isNotNull(hold))),
    db
      .select({ id: max(id) })
      .from(executions)
      .where(openWith(key)),
  ]);
  return { begun: begun[0]?.id ?? null, waiting: waiting[0]?.count ?? 0, newest: newest[0]?.id ?? null };
}

/** Whether an execution is this one, or a sub-workflow at any depth below it. */
export async function isWithin(db: Database, id: string, ancestorId: string): Promise<boolean> {
  const [rows = []] = await readRows(db, [
    sql`with recursive chain(id) as (
      select ${id} union select e.parent_execution_id from executions e join chain on e.id = chain.id
    ) select 1 from chain where id = ${ancestorId}`,
  ]);
  return rows.length > 0;
}

/** The execution whose turn is next; null while one runs or none waits. */
export async function nextInTurn(db: Database, key: RunKey): Promise<string | null> {
  const { id, hold } = executions;
  const [begun, first] = await db.batch([
    db
      .select({ id })
      .from(executions)
      .where(and(openWith(key), isNull(hold))),
    db.select({ id }).from(executions).where(openWith(key)).orderBy(asc(id)).limit(1),
  ]);
  return begun.length > 0 ? null : (first[0]?.id ?? null);
}

/** The older open executions, of which one may have begun. */
export function olderRuns(db: Database, key: RunKey, thanId: string, limit: number): Promise<{ id: string }[]> {
  return db
    .select({ id: executions.id })
    .from(executions)
    .where(and(openWith(key), lt(executions.id, thanId)))
    .orderBy(asc(executions.id))
    .limit(limit);
}

/** Keys with executions that wait although none runs: the call after an end was lost. */
export function forgottenKeys(db: Database, limit: number): Promise<RunKey[]> {
  const begun = alias(executions, "begun");
  const isBusy = db
    .select({ id: begun.id })
    .from(begun)
    .where(
      and(
        eq(begun.workflowId, executions.workflowId),
        eq(begun.concurrencyKey, executions.concurrencyKey),
        isNotNull(begun.concurrencyKey),
        isOpen(begun),
        isNull(begun.hold),
      ),
    );
  return db
    .selectDistinct({ workflowId: executions.workflowId, concurrencyKey: sql<string>`${executions.concurrencyKey}` })
    .from(executions)
    .where(
      and(
        // Only open executions are held.
        isNotNull(executions.hold),
        isNotNull(executions.concurrencyKey),
        notExists(isBusy),
      ),
    )
    .limit(limit);
}
