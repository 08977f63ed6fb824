import { and, desc, eq, gte, lt, lte, sql } from "drizzle-orm";
import type { ExecutionStatus } from "../../schema/contract/execution.ts";
import type { JsonValue } from "../../schema/contract/json.ts";
import { executions, nodeRunOutputs, nodeRuns } from "../../schema/tables/index.ts";
import type { ExecutionRow, NodeRunRow } from "../../schema/tables/index.ts";
import type { Database } from "./database.ts";

export type { ExecutionRow, NodeRunRow };

export interface ExecutionFilter {
  workflowId: string | undefined;
  status: ExecutionStatus | undefined;
  /** Epoch milliseconds, both inclusive. */
  startedFrom: number | undefined;
  startedTo: number | undefined;
}

/** Newest first, up to `limit`: ids rise with time. */
export function listExecutions(
  db: Database,
  filter: ExecutionFilter,
  page: { beforeId: string | null; limit: number },
): Promise<ExecutionRow[]> {
  return db
    .select()
    .from(executions)
    .where(
      and(
        filter.workflowId === undefined ? undefined : eq(executions.workflowId, filter.workflowId),
        filter.status === undefined ? undefined : eq(executions.status, filter.status),
        filter.startedFrom === undefined ? undefined : gte(executions.startedAt, filter.startedFrom),
        filter.startedTo === undefined ? undefined : lte(executions.startedAt, filter.startedTo),
        page.beforeId === null ? undefined : lt(executions.id, page.beforeId),
      ),
    )
    .orderBy(desc(executions.id))
    .limit(page.limit);
}

export async function findExecution(db: Database, id: string): Promise<ExecutionRow | null> {
  return (await db.select().from(executions).where(eq(executions.id, id)).get()) ?? null;
}

/** An execution's node runs in the order in which they came to be, with their outputs. */
export function findNodeRuns(
  db: Database,
  executionId: string,
): Promise<{ run: NodeRunRow; output: JsonValue | null }[]> {
  return db
    .select({ run: nodeRuns, output: nodeRunOutputs.output })
    .from(nodeRuns)
    .leftJoin(nodeRunOutputs, eq(nodeRunOutputs.nodeRunId, nodeRuns.id))
    .where(eq(nodeRuns.executionId, executionId))
    .orderBy(sql`${nodeRuns}.rowid`);
}
