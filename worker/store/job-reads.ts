import { and, asc, eq, getTableColumns, inArray, isNotNull, sql } from "drizzle-orm";
import { jobs } from "../../schema/tables/index.ts";
import type { JobRow } from "../../schema/tables/index.ts";
import type { JobTimes } from "../domain/job-order.ts";
import type { Database } from "./database.ts";
import { withinOneRead } from "./node-run-outputs.ts";

export type { JobRow };

export async function findJob(db: Database, id: string): Promise<JobRow | null> {
  return (await db.select().from(jobs).where(eq(jobs.id, id)).get()) ?? null;
}

/** A job without the order that its dispatcher sent, which may be large. */
export type JobRecord = Omit<JobRow, "order">;

/** The jobs of an execution, oldest first, in several answers when one could not have them all. */
export async function findJobsOf(db: Database, executionId: string): Promise<JobRecord[]> {
  const { order: _order, ...columns } = getTableColumns(jobs);
  const bytes = sql<number>`length(cast(coalesce(${jobs.output}, '') || coalesce(${jobs.error}, '') || coalesce(${jobs.assignments}, '') as blob))`;
  const sizes = await db
    .select({ id: jobs.id, bytes })
    .from(jobs)
    .where(eq(jobs.executionId, executionId))
    .orderBy(asc(jobs.id));
  const found: JobRecord[] = [];
  for (const group of withinOneRead(sizes)) {
    const ids = group.map(({ id }) => id);
    found.push(...(await db.select(columns).from(jobs).where(inArray(jobs.id, ids)).orderBy(asc(jobs.id))));
  }
  return found;
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
