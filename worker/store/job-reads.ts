import { and, eq } from "drizzle-orm";
import { jobs } from "../../schema/tables/index.ts";
import type { JobRow } from "../../schema/tables/index.ts";
import type { Database } from "./database.ts";

export type { JobRow };

export async function findJob(db: Database, id: string): Promise<JobRow | null> {
  return (await db.select().from(jobs).where(eq(jobs.id, id)).get()) ?? null;
}

/** The jobs of an execution that have not ended, and the Pools that hold them. */
export function findOpenJobs(db: Database, executionId: string): Promise<{ id: string; poolObject: string }[]> {
  return db
    .select({ id: jobs.id, poolObject: jobs.poolObject })
    .from(jobs)
    .where(and(eq(jobs.executionId, executionId), eq(jobs.status, "queued")));
}
