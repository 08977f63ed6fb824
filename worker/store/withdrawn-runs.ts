import { and, eq, inArray, isNotNull, isNull, sql } from "drizzle-orm";
import { executions, workflows } from "../../schema/tables/index.ts";
import { EVENT_TRIGGERS } from "../domain/execution-state.ts";
import type { Database } from "./database.ts";

/** Why nothing starts an execution now that has not begun (docs/design/workflows.md#runs-that-wait). */
export type Withdrawal = "deleted" | "unpublished" | "deactivated";

/** As `isAutomatic`: no person waits for it. */
const IS_AUTOMATIC = and(isNull(executions.retryOf), inArray(sql`${executions.trigger} ->> '$.type'`, EVENT_TRIGGERS));

const WITHDRAWAL = sql<Withdrawal | null>`case
  when ${workflows.id} is null then 'deleted'
  when ${workflows.publishedVersionId} is null then 'unpublished'
  when not ${workflows.active} and ${IS_AUTOMATIC} then 'deactivated'
end`;

/** Executions that wait before their first node. A sub-workflow belongs to its parent, which has begun. */
const WAITS = and(isNotNull(executions.hold), isNull(executions.parentExecutionId));

/** Null when its workflow still starts it, and when it has begun. */
export async function findWithdrawal(db: Database, executionId: string): Promise<Withdrawal | null> {
  const row = await db
    .select({ withdrawal: WITHDRAWAL })
    .from(executions)
    .leftJoin(workflows, eq(workflows.id, executions.workflowId))
    .where(and(eq(executions.id, executionId), WAITS))
    .get();
  return row?.withdrawal ?? null;
}

/** By the index alone: the rows of the runs that wait for workflows which are active are not read. */
const BEGINS_NOTHING = sql`${executions.workflowId} in (
  select held.workflow_id from (select distinct e.workflow_id from executions e where e.hold is not null) held
  left join workflows w on w.id = held.workflow_id
  where w.id is null or w.published_version_id is null or not w.active)`;

/** Oldest first. */
export function withdrawnRuns(
  db: Database,
  page: { afterId: string | null; limit: number },
): Promise<{ id: string; workflowId: string }[]> {
  // An expression: SQLite would read all executions in the order of their ids.
  const id = sql`+${executions.id}`;
  return db
    .select({ id: executions.id, workflowId: executions.workflowId })
    .from(executions)
    .leftJoin(workflows, eq(workflows.id, executions.workflowId))
    .where(
      and(
        BEGINS_NOTHING,
        WAITS,
        sql`${WITHDRAWAL} is not null`,
        page.afterId === null ? undefined : sql`${id} > ${page.afterId}`,
      ),
    )
    .orderBy(id)
    .limit(page.limit);
}
