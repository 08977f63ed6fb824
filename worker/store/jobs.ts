import { and, eq, inArray, isNull, lt, sql } from "drizzle-orm";
import { jobs } from "../../schema/tables/index.ts";
import type { JobOrder, JobReport, Reroute } from "../domain/job-order.ts";
import type { Database, Statement } from "./database.ts";
import { toJobOrder } from "./job-order.ts";

/** The orders of an execution's open jobs, which the dispatchers must hold. */
export async function openOrders(db: Database, executionId: string): Promise<JobOrder[]> {
  const rows = await db
    .select({ order: jobs.order })
    .from(jobs)
    .where(and(eq(jobs.executionId, executionId), eq(jobs.status, "queued")));
  return rows.map((row) => toJobOrder(row.order));
}

/** The orders of those of these jobs that have not ended. */
export async function openOrdersOf(db: Database, jobIds: readonly string[]): Promise<JobOrder[]> {
  const rows = await db
    .select({ order: jobs.order })
    .from(jobs)
    .where(and(inArray(jobs.id, [...jobIds]), eq(jobs.status, "queued")));
  return rows.map((row) => toJobOrder(row.order));
}

/**
 * Turns a job's order into the next one. A repeated report, or one older than the present order, changes nothing. The
 * job is not confirmed until the sweep has seen it in its new dispatcher.
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

/** Cancelled jobs, which their dispatchers must release. */
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
 * Jobs ordered before `before` (epoch ms) whose dispatcher has not confirmed the order (`queued`) or the cancel
 * (`cancelled`). An ended job drops out by its status.
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

/** With `poolObject`, only jobs of that dispatcher: a job rerouted since is not confirmed. */
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

/** Records what the agent reported about a cancelled job. Only the first report counts. */
export async function recordLateEnd(db: Database, report: JobReport): Promise<void> {
  await db
    .update(jobs)
    .set({ output: report.output, ...jobEnd(report) })
    .where(and(eq(jobs.id, report.jobId), eq(jobs.status, "cancelled"), isNull(jobs.reportedAt)));
}

/** A job that no execution orders. It is sent to the dispatcher after the commit. */
export function insertJob(db: Database, order: JobOrder): Statement {
  return db.insert(jobs).values(jobRow(order));
}

/** The columns of a job's end, except the output, which belongs to the node run. */
export function jobEnd({ error, agentId, times, assignments }: JobReport): Partial<typeof jobs.$inferInsert> {
  const { queuedAt: _fixedWhenQueued, ...stages } = times;
  return { error, agentId, ...stages, ...(assignments === undefined ? {} : { assignments }) };
}

/** The row of a new job. */
export function jobRow(order: JobOrder): typeof jobs.$inferInsert {
  return {
    id: order.jobId,
    executionId: order.executionId,
    nodeRunId: order.nodeRunId,
    kind: order.kind,
    action: order.action,
    effect: order.effect,
    connectionId: order.connectionId,
    target: order.shownTarget ?? order.target ?? null,
    poolObject: order.poolObject,
    status: "queued",
    attempt: order.attempt,
    order: { ...order, values: { ...order.values } },
    queuedAt: order.queuedAt,
  };
}
