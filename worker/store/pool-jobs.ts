import { and, eq, isNull, lt, sql } from "drizzle-orm";
import { jobs } from "../../schema/tables/index.ts";
import type { JobReport } from "../domain/run-types.ts";
import { writeBatch } from "./database.ts";
import type { Database, Statement } from "./database.ts";

/** A job that came to a Pool from another one; `moves` counts how often it has by now. */
export interface JobMove {
  jobId: string;
  attempt: number;
  poolObject: string;
  pinnedAgentId: string | null;
  moves: number;
}

/**
 * Jobs are in other Pools now: whoever looks for them, or tells them again, finds them there. Each Pool writes for itself
 * and when it can, so an older move may come later than a newer one, and changes nothing then.
 */
export async function recordMoves(db: Database, moves: readonly JobMove[]): Promise<void> {
  await writeBatch(
    db,
    moves.map(({ jobId, attempt, poolObject, pinnedAgentId, moves: count }) =>
      db
        .update(jobs)
        .set({
          poolObject,
          order: sql`json_set(${jobs.order}, '$.poolObject', ${poolObject}, '$.pinnedAgentId', ${pinnedAgentId}, '$.moves', ${count})`,
        })
        .where(
          and(
            eq(jobs.id, jobId),
            eq(jobs.attempt, attempt),
            lt(sql`coalesce(json_extract(${jobs.order}, '$.moves'), 0)`, count),
          ),
        ),
    ),
  );
}

/** The end of a job that no execution ordered, such as a connection test. The first end stays. */
export function endJobWithoutExecution(db: Database, report: JobReport): Statement {
  const { queuedAt: _fixedWhenQueued, ...times } = report.times;
  return db
    .update(jobs)
    .set({ status: report.status, error: report.error, output: report.output, agentId: report.agentId, ...times })
    .where(and(eq(jobs.id, report.jobId), isNull(jobs.reportedAt)));
}
