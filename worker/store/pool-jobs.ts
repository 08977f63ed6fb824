import { and, eq, isNull } from "drizzle-orm";
import { jobs } from "../../schema/tables/index.ts";
import type { JobReport } from "../domain/job-order.ts";
import type { Database, Statement } from "./database.ts";
import { jobEnd } from "./jobs.ts";

/** The end of a job that no execution ordered, such as a connection test. The first end stays. */
export function endJobWithoutExecution(db: Database, report: JobReport): Statement {
  return db
    .update(jobs)
    .set({ status: report.status, output: report.output, ...jobEnd(report) })
    .where(and(eq(jobs.id, report.jobId), isNull(jobs.reportedAt)));
}
