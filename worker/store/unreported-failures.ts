import { asc, eq, gt, sql } from "drizzle-orm";
import { executions, unreportedFailures, workflowVersions, workflows } from "../../schema/tables/index.ts";
import { mayBeReported } from "../domain/failed-execution.ts";
import type { ExecutionState } from "../domain/execution-state.ts";
import type { Database, Statement } from "./database.ts";

/**
 * Records a failed execution in the batch of its end, if a failure workflow is active. An execution of a failure
 * workflow is never recorded, regardless of who started it.
 */
export function recordFailure(
  db: Database,
  { id, workflowId, versionId, status, trigger }: ExecutionState,
): Statement[] {
  if (status !== "failed" || !mayBeReported(trigger)) return [];
  const active = sql`select 1 from ${workflows} where ${workflows.publishedTriggerType} = 'failure'
    and ${workflows.active} = 1 and ${workflows.id} <> ${workflowId}`;
  const own = sql`select 1 from ${workflowVersions} where ${workflowVersions.id} = ${versionId}
    and json_extract(${workflowVersions.trigger}, '$.type') = 'failure'`;
  return [db.insert(unreportedFailures).select(sql`select ${id} where exists (${active}) and not exists (${own})`)];
}

export async function isUnreported(db: Database, executionId: string): Promise<boolean> {
  const found = await db
    .select({ executionId: unreportedFailures.executionId })
    .from(unreportedFailures)
    .where(eq(unreportedFailures.executionId, executionId))
    .get();
  return found !== undefined;
}

export async function forgetFailure(db: Database, executionId: string): Promise<void> {
  await db.delete(unreportedFailures).where(eq(unreportedFailures.executionId, executionId));
}

/** Oldest first, from those after `after`. */
export function findUnreported(
  db: Database,
  after: string,
  limit: number,
): Promise<{ executionId: string; workflowId: string }[]> {
  return db
    .select({ executionId: unreportedFailures.executionId, workflowId: executions.workflowId })
    .from(unreportedFailures)
    .innerJoin(executions, eq(executions.id, unreportedFailures.executionId))
    .where(gt(unreportedFailures.executionId, after))
    .orderBy(asc(unreportedFailures.executionId))
    .limit(limit);
}
