import { asc, eq, inArray, lte, sql } from "drizzle-orm";
import type { SQL } from "drizzle-orm";
import { unreportedFailures, workflowVersions, workflows } from "../../schema/tables/index.ts";
import { mayBeReported } from "../domain/failed-execution.ts";
import type { ExecutionState } from "../domain/execution-state.ts";
import type { Database, Statement } from "./database.ts";

/** Longer than an attempt. */
const AGAIN_MIN_MS = 30_000;
const AGAIN_MAX_MS = 15 * 60_000;

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
  return [db.insert(unreportedFailures).select(sql`select ${id}, 0 where exists (${active}) and not exists (${own})`)];
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

/**
 * Failures to report now, those without an attempt first. The next attempt of each waits as long as it has waited since
 * its end, within bounds: failures whose workflows never start do not keep later ones back.
 */
export async function claimUnreported(
  db: Database,
  now: number,
  limit: number,
): Promise<{ executionId: string; workflowId: string }[]> {
  const ofExecution = (column: SQL) => sql`(select ${column} from executions where id = execution_id)`;
  const age = sql`${now} - coalesce(${ofExecution(sql`finished_at`)}, ${now})`;
  const due = db
    .select({ executionId: unreportedFailures.executionId })
    .from(unreportedFailures)
    .where(lte(unreportedFailures.notBefore, now))
    .orderBy(asc(unreportedFailures.notBefore))
    .limit(limit);
  const claimed = await db
    .update(unreportedFailures)
    .set({ notBefore: sql`${now} + min(max(${age}, ${AGAIN_MIN_MS}), ${AGAIN_MAX_MS})` })
    .where(inArray(unreportedFailures.executionId, due))
    .returning({
      executionId: unreportedFailures.executionId,
      workflowId: sql<string | null>`${ofExecution(sql`workflow_id`)}`,
    });
  return claimed.flatMap(({ executionId, workflowId }) => (workflowId === null ? [] : { executionId, workflowId }));
}
