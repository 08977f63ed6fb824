import { sql } from "drizzle-orm";
import type { SQL } from "drizzle-orm";
import { executionStatusSchema } from "../../schema/contract/execution.ts";
import type { BucketFigures } from "../domain/statistics/summary.ts";
import { readRows } from "./database.ts";
import type { Database, Row } from "./database.ts";

/** A bucket: executions by start (epoch ms), jobs by ids, which rise with time. Upper ends are exclusive. */
export interface BucketQuery {
  startedFrom: number;
  startedTo: number;
  jobsFrom: string;
  jobsTo: string;
}

/** How many rows of a bucket are read, the newest first. */
export interface BucketLimits {
  executions: number;
  jobs: number;
}

/** The figures of each bucket, all from the same moment. Each statement reads a bounded span of an index. */
export async function readBuckets(
  db: Database,
  buckets: readonly BucketQuery[],
  limits: BucketLimits,
): Promise<BucketFigures[]> {
  const statements = buckets.flatMap((bucket) => bucketStatements(bucket, limits));
  const results = await readRows(db, statements);
  return buckets.map((_, index) => ({
    executions: toCounts(results[2 * index] ?? [], limits.executions),
    jobs: toLatencies(results[2 * index + 1]?.[0], limits.jobs),
  }));
}

/** One statement for executions, one for jobs. Each reads one row beyond its limit, to know whether there are more. */
export function bucketStatements(
  { startedFrom, startedTo, jobsFrom, jobsTo }: BucketQuery,
  limits: BucketLimits,
): SQL[] {
  const counts = sql`select status, count(*) as count from
    (select status from executions where started_at >= ${startedFrom} and started_at < ${startedTo}
      order by started_at desc, id desc limit ${limits.executions + 1})
    group by status`;
  const latencies = sql`select count(*) as looked,
      json_group_array(delivered_at - queued_at) filter (where counts and delivered_at is not null) as delivered,
      json_group_array(started_at - queued_at) filter (where counts and started_at is not null) as started from
    (select queued_at, delivered_at, started_at,
        kind = 'action' and reported_at is not null and pool_object not like 'notifier:%' as counts
      from jobs where id >= ${jobsFrom} and id < ${jobsTo} order by id desc limit ${limits.jobs + 1})`;
  return [counts, latencies];
}

function toCounts(rows: readonly Row[], limit: number): BucketFigures["executions"] {
  const counts = rows.map((row) => ({
    status: executionStatusSchema.parse(row["status"]),
    count: Number(row["count"]),
  }));
  return { counts, sampled: counts.reduce((sum, { count }) => sum + count, 0) > limit };
}

function toLatencies(row: Row | undefined, limit: number): BucketFigures["jobs"] {
  return {
    deliveredAfterMs: numbers(row?.["delivered"]),
    startedAfterMs: numbers(row?.["started"]),
    sampled: Number(row?.["looked"] ?? 0) > limit,
  };
}

function numbers(json: unknown): number[] {
  const values: unknown = typeof json === "string" ? JSON.parse(json) : [];
  return Array.isArray(values) ? values.filter((value) => typeof value === "number") : [];
}
