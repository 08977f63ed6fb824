import { and, eq, isNull } from "drizzle-orm";
import { jobs } from "../../schema/tables/index.ts";
import type { JobOrder, JobReport } from "../domain/run-types.ts";
import type { Database, Statement } from "./database.ts";

/** A job went to another Pool: whoever looks for it, or tells it again, finds it there. */
export async function moveJob(db: Database, order: JobOrder): Promise<void> {
  await db
    .update(jobs)
    .set({ poolObject: order.poolObject, order: { ...order, values: { ...order.values } } })
    .where(eq(jobs.id, order.jobId));
}

/** The end of a job that no execution ordered, such as a connection test. The first end stays. */
export function endJobWithoutExecution(db: Database, report: JobReport): Statement {
  const { queuedAt: _fixedWhenQueued, ...times } = report.times;
  return db
    .update(jobs)
    .set({ status: report.status, error: report.error, output: report.output, agentId: report.agentId, ...times })
    .where(and(eq(jobs.id, report.jobId), isNull(jobs.reportedAt)));
}
