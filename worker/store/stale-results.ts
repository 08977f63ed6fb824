import type { JobResult } from "../../schema/contract/agent.ts";
import { asc, eq, inArray, sql } from "drizzle-orm";
import { jobs, staleResults } from "../../schema/tables/index.ts";
import type { StaleResultRow } from "../../schema/tables/index.ts";
import type { Database } from "./database.ts";

export type { StaleResultRow };

const SHOWN_RESULTS = 20;

/** Records a result without a valid lease (invariant 2), if the job exists. A repeated result is recorded once. */
export async function recordStaleResult(
  db: Database,
  agentId: string,
  result: JobResult,
  receivedAt: number,
): Promise<void> {
  const { jobId, lease, status } = result;
  const startedAt = result.startedAt === null ? null : new Date(result.startedAt).getTime();
  const row = db
    .select({
      id: sql<string>`${`${jobId}:${lease}:${agentId}`}`.as("id"),
      jobId: jobs.id,
      lease: sql<string>`${lease}`.as("lease"),
      agentId: sql<string>`${agentId}`.as("agent_id"),
      status: sql<JobResult["status"]>`${status}`.as("status"),
      startedAt: sql<number | null>`${startedAt}`.as("started_at"),
      finishedAt: sql<number>`${new Date(result.finishedAt).getTime()}`.as("finished_at"),
      receivedAt: sql<number>`${receivedAt}`.as("received_at"),
    })
    .from(jobs)
    .where(eq(jobs.id, jobId));
  await db.insert(staleResults).select(row).onConflictDoNothing();
}

/** The stale results of a job, oldest first. */
export function findStaleResults(db: Database, jobId: string): Promise<StaleResultRow[]> {
  return db
    .select()
    .from(staleResults)
    .where(eq(staleResults.jobId, jobId))
    .orderBy(asc(staleResults.receivedAt), asc(staleResults.id))
    .limit(SHOWN_RESULTS);
}

/** The stale results of an execution's jobs, oldest first. */
export function findStaleResultsOf(db: Database, executionId: string): Promise<StaleResultRow[]> {
  const theirs = db.select({ id: jobs.id }).from(jobs).where(eq(jobs.executionId, executionId));
  return db
    .select()
    .from(staleResults)
    .where(inArray(staleResults.jobId, theirs))
    .orderBy(asc(staleResults.receivedAt), asc(staleResults.id));
}
