import type { JobResult } from "../../schema/contract/agent.ts";
import { asc, eq } from "drizzle-orm";
import { staleResults } from "../../schema/tables/index.ts";
import type { StaleResultRow } from "../../schema/tables/index.ts";
import type { Database } from "./database.ts";

export type { StaleResultRow };

const SHOWN_RESULTS = 20;

/** Records a result that came under a lease that was not valid (invariant 2). Telling it twice records it once. */
export async function recordStaleResult(
  db: Database,
  agentId: string,
  result: JobResult,
  receivedAt: number,
): Promise<void> {
  const { jobId, lease, status } = result;
  await db
    .insert(staleResults)
    .values({
      id: `${jobId}:${lease}:${agentId}`,
      jobId,
      lease,
      agentId,
      status,
      startedAt: result.startedAt === null ? null : new Date(result.startedAt).getTime(),
      finishedAt: new Date(result.finishedAt).getTime(),
      receivedAt,
    })
    .onConflictDoNothing();
}

/** What was recorded of a job, the first that came at first. */
export function findStaleResults(db: Database, jobId: string): Promise<StaleResultRow[]> {
  return db
    .select()
    .from(staleResults)
    .where(eq(staleResults.jobId, jobId))
    .orderBy(asc(staleResults.receivedAt), asc(staleResults.id))
    .limit(SHOWN_RESULTS);
}
