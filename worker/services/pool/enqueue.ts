import { jobDeadline } from "../../actors/dispatcher/rules/job-deadline.ts";
import { isAgentJob, queueJob } from "../../actors/dispatcher/rules/job.ts";
import type { JobOrder } from "../../domain/run-types.ts";
import { dispatchWaiting } from "./dispatch-waiting.ts";
import { reviewBy } from "./pool.ts";
import type { Pool } from "./pool.ts";

/** A connection that was disabled or moved just now is noticed this soon, also when no agent asks for the job. */
const FIRST_REVIEW_MS = 3_000;

/** Takes jobs in: one row each, and no query. Idempotent by (jobId, attempt); agents fetch them with their polls. */
export function enqueueJobs(pool: Pool, orders: readonly JobOrder[]): void {
  let isNew = false;
  for (const order of orders) {
    if (!isAgentJob(order) || !pool.jobs.insert(order)) continue;
    isNew = true;
    const deadline = jobDeadline(queueJob(order));
    if (deadline !== null) pool.alarm.by(deadline.at);
  }
  if (!isNew) return;
  reviewBy(pool, pool.world.now() + FIRST_REVIEW_MS);
  dispatchWaiting(pool);
}
