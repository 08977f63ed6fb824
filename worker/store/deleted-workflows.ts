import { and, asc, eq, exists, getTableColumns, gt, inArray, lte, notExists, or, sql } from "drizzle-orm";
import type { SQL } from "drizzle-orm";
import {
  deletedWorkflows,
  executions,
  missedRuns,
  nodeRuns,
  workflowVersions,
  workflows,
} from "../../schema/tables/index.ts";
import type { DeletedWorkflowRow } from "../../schema/tables/index.ts";
import { rowsOfAll, writeBatch } from "./database.ts";
import type { Database, Statement } from "./database.ts";
import { hasQuietTree } from "./retention-due.ts";
import type { WorkflowRow } from "./workflows.ts";

/** Copies a workflow that the next statement of the batch deletes. */
export function keepDeleted(
  db: Database,
  id: string,
  { deletedAt, keepsExecutions }: Pick<DeletedWorkflowRow, "deletedAt" | "keepsExecutions">,
): Statement {
  return db.insert(deletedWorkflows).select(
    db
      .select({
        ...getTableColumns(workflows),
        deletedAt: sql<number>`${deletedAt}`.as("deleted_at"),
        final: sql<boolean>`0`.as("final"),
        keepsExecutions: sql<boolean>`${keepsExecutions ? 1 : 0}`.as("keeps_executions"),
      })
      .from(workflows)
      .where(eq(workflows.id, id)),
  );
}

/** The name and tags of a workflow; also of a deleted one, whose executions go on. Null when all of it is gone. */
export async function findNameAndTags(db: Database, id: string): Promise<Pick<WorkflowRow, "name" | "tags"> | null> {
  const present = db.select({ name: workflows.name, tags: workflows.tags }).from(workflows).where(eq(workflows.id, id));
  const deleted = db
    .select({ name: deletedWorkflows.name, tags: deletedWorkflows.tags })
    .from(deletedWorkflows)
    .where(eq(deletedWorkflows.id, id));
  return (await present.unionAll(deleted).get()) ?? null;
}

/** A workflow that was deleted after a time and can still be restored. */
export async function findDeletedWorkflow(
  db: Database,
  id: string,
  deletedAfter: number,
): Promise<DeletedWorkflowRow | null> {
  const isRestorable = and(
    eq(deletedWorkflows.id, id),
    eq(deletedWorkflows.final, false),
    gt(deletedWorkflows.deletedAt, deletedAfter),
  );
  return (await db.select().from(deletedWorkflows).where(isRestorable).get()) ?? null;
}

/**
 * The first statement of a restoration. The insert meets no row when the deletion has become final or is a later one than
 * the row that was read, and fails the batch as a conflict when another caller has restored the workflow.
 */
export function restoreWorkflowRow(
  db: Database,
  row: DeletedWorkflowRow,
  changes: Pick<WorkflowRow, "gateEpoch" | "gatePushedEpoch" | "nextRunAt" | "updatedAt">,
): Statement {
  const {
    deletedAt: _deletedAt,
    final: _final,
    keepsExecutions: _keeps,
    ...columns
  } = getTableColumns(deletedWorkflows);
  return db.insert(workflows).select(
    db
      .select({
        ...columns,
        nextRunAt: sql<number | null>`${changes.nextRunAt}`.as("next_run_at"),
        gateEpoch: sql<number>`${changes.gateEpoch}`.as("gate_epoch"),
        gatePushedEpoch: sql<number>`${changes.gatePushedEpoch}`.as("gate_pushed_epoch"),
        revision: sql<number>`${row.revision + 1}`.as("revision"),
        updatedAt: sql<number>`${changes.updatedAt}`.as("updated_at"),
      })
      .from(deletedWorkflows)
      .where(
        and(
          eq(deletedWorkflows.id, row.id),
          eq(deletedWorkflows.final, false),
          eq(deletedWorkflows.deletedAt, row.deletedAt),
          eq(deletedWorkflows.gateEpoch, row.gateEpoch),
        ),
      ),
  );
}

export function forgetDeleted(db: Database, id: string): Statement {
  return db.delete(deletedWorkflows).where(eq(deletedWorkflows.id, id));
}

/** Makes the deletions up to a time final. */
export async function makeDeletionsFinal(db: Database, deletedUntil: number): Promise<void> {
  await db
    .update(deletedWorkflows)
    .set({ final: true })
    .where(and(eq(deletedWorkflows.final, false), lte(deletedWorkflows.deletedAt, deletedUntil)));
}

/** Workflows of which something can be deleted now: an execution, or all that is left without any. Earliest deletion first. */
export async function finallyDeleted(db: Database, finishedUntil: number, limit: number): Promise<string[]> {
  const theirs = (condition?: SQL) =>
    db
      .select({ one: sql`1` })
      .from(executions)
      .where(and(eq(executions.workflowId, deletedWorkflows.id), condition));
  const hasSomething = or(
    notExists(theirs()),
    and(eq(deletedWorkflows.keepsExecutions, false), exists(theirs(isRemovable(finishedUntil)))),
  );
  const rows = await db
    .select({ id: deletedWorkflows.id })
    .from(deletedWorkflows)
    .where(and(eq(deletedWorkflows.final, true), hasSomething))
    .orderBy(asc(deletedWorkflows.deletedAt))
    .limit(limit);
  return rows.map(({ id }) => id);
}

/** The ids of executions that can be deleted. */
export async function removableExecutions(
  db: Database,
  workflowId: string,
  finishedUntil: number,
  limit: number,
): Promise<string[]> {
  const rows = await db
    .select({ id: executions.id })
    .from(executions)
    .where(and(eq(executions.workflowId, workflowId), isRemovable(finishedUntil)))
    .orderBy(asc(executions.id))
    .limit(limit);
  return rows.map(({ id }) => id);
}

/**
 * Executions that ended by a time and of which nothing is left to do. A parent that still waits would start its
 * sub-workflow a second time if it found no execution of it.
 */
function isRemovable(finishedUntil: number): SQL {
  const waitingParent = sql`select 1 from ${nodeRuns} where ${nodeRuns.id} = ${executions.parentNodeRunId} and ${nodeRuns.status} = 'running'`;
  return sql`${executions.status} <> 'running' and ${executions.finishedAt} <= ${finishedUntil}
    and not exists (${waitingParent}) and ${hasQuietTree(sql`${executions.id}`)}`;
}

/** Deletes up to `limit` versions of a workflow without executions, and with the last of them what is left of it. */
export async function deleteVersions(db: Database, workflowId: string, limit: number): Promise<number> {
  const hasExecutions = sql`exists (select 1 from ${executions} where ${executions.workflowId} = ${workflowId})`;
  const some = db
    .select({ id: workflowVersions.id })
    .from(workflowVersions)
    .where(and(eq(workflowVersions.workflowId, workflowId), sql`not ${hasExecutions}`))
    .limit(limit);
  const hasVersions = sql`exists (select 1 from ${workflowVersions} where ${workflowVersions.workflowId} = ${workflowId})`;
  const isEmpty = sql`not ${hasExecutions} and not ${hasVersions}`;
  const results = await writeBatch(db, [
    db.delete(workflowVersions).where(inArray(workflowVersions.id, some)),
    db.delete(missedRuns).where(and(eq(missedRuns.workflowId, workflowId), isEmpty)),
    db.delete(deletedWorkflows).where(and(eq(deletedWorkflows.id, workflowId), isEmpty)),
  ]);
  return rowsOfAll(results);
}
