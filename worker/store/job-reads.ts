import { and, asc, eq, isNotNull } from "drizzle-orm";
import { jobs } from "../../schema/tables/index.ts";
import type { JobRow } from "../../schema/tables/index.ts";
import type { JobTimes } from "../domain/job-order.ts";
import type { Database } from "./database.ts";

export type { JobRow };

export async function findJob(db: Database, id: string): Promise<JobRow | null> {
  return (await db.select().from(jobs).where(eq(jobs.id, id)).get()) ?? null;
}

/** The jobs of an execution, oldest first. */
export function findJobsOf(db: Database, executionId: string): Promise<JobRow[]> {
  return db.select().from(jobs).where(eq(jobs.executionId, executionId)).orderBy(asc(jobs.id));
}

/** The jobs of an execution that have not ended, and their dispatchers. */
export function findOpenJobs(db: Database, executionId: string): Promise<{ id: string; poolObject: string }[]> {
  return db
    .select({ id: jobs.id, poolObject: jobs.poolObject })
    .from(jobs)
    .where(and(eq(jobs.executionId, executionId), eq(jobs.status, "queued")));
}

/** What agents reported about an execution's jobs after their cancel, by job id. */
export async function findLateEnds(db: Database, executionId: string): Promise<Map<string, LateEnd>> {
  const rows = await db
    .select({
      id: jobs.id,
      output: jobs.output,
      error: jobs.error,
      queuedAt: jobs.queuedAt,
      assignedAt: jobs.assignedAt,
      deliveredAt: jobs.deliveredAt,
      startedAt: jobs.startedAt,
      finishedAt: jobs.finishedAt,
      reportedAt: jobs.reportedAt,
    })
    .from(jobs)
    .where(and(eq(jobs.executionId, executionId), eq(jobs.status, "cancelled"), isNotNull(jobs.reportedAt)));
  return new Map(rows.map(({ id, ...end }) => [id, end]));
}

export type LateEnd = Pick<JobRow, "output" | "error"> & JobTimes;
