import { and, eq, inArray, isNull, lt, sql } from "drizzle-orm";
import { jobs } from "../../schema/tables/index.ts";
import type { JobOrder, JobReport, Reroute } from "../domain/job-order.ts";
import type { Database, Statement } from "./database.ts";
import { toJobOrder } from "./job-order.ts";

/** The orders of an execution's jobs that have not ended: what the dispatcher must hold. */
export async function openOrders(db: Database, executionId: string): Promise<JobOrder[]> {
  const rows = await db
    .select({ order: jobs.order })
    .from(jobs)
    .where(and(eq(jobs.executionId, executionId), eq(jobs.status, "queued")));
  return rows.map((row) => toJobOrder(row.order));
}

/** Of these jobs, the orders of those that have not ended. */
export async function openOrdersOf(db: Database, jobIds: readonly string[]): Promise<JobOrder[]> {
  const rows = await db
    .select({ order: jobs.order })
    .from(jobs)
    .where(and(inArray(jobs.id, [...jobIds]), eq(jobs.status, "queued")));
  return rows.map((row) => toJobOrder(row.order));
}

/**
 * Makes the next order out of a job's present one. A report that is told again, or that comes later than that of the next
 * order, changes nothing. Until the sweeper has seen the job in its new dispatcher, it counts as not confirmed.
 */
export function rerouteJob(db: Database, { jobId, attempt }: JobReport, reroute: Reroute): Statement {
  const changes = Object.entries(reroute).map(([name, value]) => sql`${`$.${name}`}, json(${JSON.stringify(value)})`);
  return db
    .update(jobs)
    .set({
      poolObject: reroute.poolObject,
      order: sql`json_set(${jobs.order}, ${sql.join(changes, sql`, `)})`,
      confirmedAt: null,
    })
    .where(
      and(
        eq(jobs.id, jobId),
        eq(jobs.attempt, attempt),
        lt(sql`coalesce(json_extract(${jobs.order}, '$.reroutes'), 0)`, reroute.reroutes),
      ),
    );
}

/** Jobs that were taken back: the dispatcher must let go of them. */
export function cancelledJobs(db: Database, executionId: string): Promise<{ jobId: string; poolObject: string }[]> {
  return db
    .select({ jobId: jobs.id, poolObject: jobs.poolObject })
    .from(jobs)
    .where(and(eq(jobs.executionId, executionId), eq(jobs.status, "cancelled")));
}

export interface UnconfirmedJob {
  jobId: string;
  executionId: string | null;
  poolObject: string;
  order: JobOrder;
}

/**
 * Jobs told to the dispatcher before `before` (epoch ms) and not yet seen there (`queued`), or whose cancel nobody has seen to
 * arrive (`cancelled`). A job that ended drops out by its status.
 */
export async function unconfirmedJobs(
  db: Database,
  status: "queued" | "cancelled",
  before: number,
  limit: number,
): Promise<UnconfirmedJob[]> {
  const rows = await db
    .select({ jobId: jobs.id, executionId: jobs.executionId, poolObject: jobs.poolObject, order: jobs.order })
    .from(jobs)
    .where(and(eq(jobs.status, status), isNull(jobs.confirmedAt), lt(jobs.queuedAt, before)))
    .limit(limit);
  return rows.map(({ order, ...row }) => ({ ...row, order: toJobOrder(order) }));
}

/** With `poolObject`, jobs were seen in that dispatcher: one that was ordered elsewhere since is not confirmed. */
export async function confirmJobs(
  db: Database,
  jobIds: readonly string[],
  now: number,
  poolObject?: string,
): Promise<void> {
  if (jobIds.length === 0) return;
  await db
    .update(jobs)
    .set({ confirmedAt: now })
    .where(and(inArray(jobs.id, [...jobIds]), poolObject === undefined ? undefined : eq(jobs.poolObject, poolObject)));
}

/** What a job that was cancelled had come to when its agent stopped it; the first word stays. */
export async function recordLateEnd(db: Database, report: JobReport): Promise<void> {
  await db
    .update(jobs)
    .set({ output: report.output, ...jobEnd(report) })
    .where(and(eq(jobs.id, report.jobId), eq(jobs.status, "cancelled"), isNull(jobs.reportedAt)));
}

/** A job that no execution orders; the dispatcher is told of it after the commit. */
export function insertJob(db: Database, order: JobOrder): Statement {
  return db.insert(jobs).values(jobRow(order));
}

/** What a report says of the end of its job, but for the output, which a node run has. */
export function jobEnd({ error, agentId, times, assignments }: JobReport): Partial<typeof jobs.$inferInsert> {
  const { queuedAt: _fixedWhenQueued, ...stages } = times;
  return { error, agentId, ...stages, ...(assignments === undefined ? {} : { assignments }) };
}

/** A job's row as it is when it is ordered. */
export function jobRow(order: JobOrder): typeof jobs.$inferInsert {
  return {
    id: order.jobId,
    executionId: order.executionId,
    nodeRunId: order.nodeRunId,
    kind: order.kind,
    action: order.action,
    effect: order.effect,
    connectionId: order.connectionId,
    poolObject: order.poolObject,
    status: "queued",
    attempt: order.attempt,
    order: { ...order, values: { ...order.values } },
    queuedAt: order.queuedAt,
  };
}
