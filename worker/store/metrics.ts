import { and, isNull, sql } from "drizzle-orm";
import type { SQL } from "drizzle-orm";
import { agents } from "../../schema/tables/index.ts";
import type { AgentRow } from "../../schema/tables/index.ts";
import { readRows } from "./database.ts";
import type { Database, Row } from "./database.ts";
import type { SqlValue } from "./hrana.ts";

/** The bounds of the queries for `/metrics`. Times are epoch ms; the ids come from `firstIdAt` for the same moment. */
export interface MetricsQuery {
  /** Latencies are measured on executions and jobs from these ids on. */
  executionsFrom: string;
  jobsFrom: string;
  /** Work due before this time and not done is late. */
  lateBefore: number;
  now: number;
}

/** The most rows that a statement reads. Higher counts are shown as this number. */
const METRIC_ROWS_MAX = 20_000;
/** Latencies are those of the newest rows. */
const LATENCY_ROWS_MAX = 1_000;

export interface DatabaseFigures {
  totals: { name: string; value: number }[];
  running: { count: number; oldestId: string | null };
  overdueExecutions: number;
  approvals: { count: number; oldestAt: number | null };
  unreportedFailures: { count: number; oldestAt: number | null };
  openWindows: number;
  held: { code: string; count: number }[];
  unfinishedJobs: { poolObject: string; count: number; oldestQueuedAt: number }[];
  dispatches: Record<"queuedAt" | "assignedAt" | "deliveredAt" | "startedAt" | "reportedAt", number | null>[];
  startDelaysMs: number[];
  openIncidents: { status: string; severity: string; count: number }[];
  oldestUnmatchedEventAt: number | null;
  credentials: { status: string; count: number }[];
  connections: { type: string; enabled: boolean; count: number }[];
  workflows: { trigger: string | null; active: boolean; count: number }[];
  earliestNextRunAt: number | null;
  traces: { queued: number; failingSince: number | null };
}

/** Reads everything in one transaction and one request. Every statement has a bound, and most use an index. */
export async function readFigures(db: Database, query: MetricsQuery): Promise<DatabaseFigures> {
  const { executionsFrom, jobsFrom, lateBefore, now } = query;
  const rows = await readAll(db, {
    totals: sql`select name, value from totals`,
    running: sql`select count(*) as count, min(id) as oldestId from
      (select id from executions where status = 'running' order by id limit ${METRIC_ROWS_MAX})`,
    overdue: sql`select count(*) as count from
      (select 1 from executions where wake_at < ${lateBefore} limit ${METRIC_ROWS_MAX})`,
    // As in the index `node_runs_asking`.
    approvals: sql`select count(*) as count, min(queued_at) as at from
      (select queued_at from node_runs where status = 'waiting' and job_id is null and queued_at is not null
        order by queued_at limit ${METRIC_ROWS_MAX})`,
    unreported: sql`select count(*) as count, min(finished_at) as at from
      (select finished_at from unreported_failures join executions on id = execution_id limit ${METRIC_ROWS_MAX})`,
    windows: sql`select count(*) as count from
      (select 1 from maintenance_windows where ends_at > ${now} and starts_at <= ${now} limit ${METRIC_ROWS_MAX})`,
    held: sql`select 'maintenance' as code, ${heldWhere(sql`"hold" ->> '$.code' = 'maintenance'`)} as count
      union all select 'collecting', ${heldWhere(sql`"hold" ->> '$.code' = 'collecting'`)}
      union all select 'concurrency', ${heldWhere(sql`"hold" is not null and concurrency_key is not null`)}`,
    unfinished: sql`select poolObject, count(*) as count, min(queuedAt) as oldestQueuedAt from
      (select pool_object as poolObject, queued_at as queuedAt from jobs where status = 'queued' limit ${METRIC_ROWS_MAX})
      group by poolObject`,
    dispatches: sql`select queued_at as queuedAt, assigned_at as assignedAt, delivered_at as deliveredAt,
        started_at as startedAt, reported_at as reportedAt from
      (select queued_at, assigned_at, delivered_at, started_at, reported_at from jobs where id >= ${jobsFrom} order by id desc limit ${LATENCY_ROWS_MAX})
      where reported_at is not null`,
    starts: sql`select begun_at - started_at as delayMs from
      (select begun_at, started_at from executions where id >= ${executionsFrom} order by id desc limit ${LATENCY_ROWS_MAX})
      where begun_at is not null`,
    incidents: sql`select status, severity, count(*) as count from
      (select status, severity from incidents where status in ('triggered', 'acknowledged') limit ${METRIC_ROWS_MAX})
      group by status, severity`,
    unmatched: sql`select min(at) as at from incident_events where matched_at is null`,
    credentials: sql`select status, count(*) as count from
      (select status from credentials where status in ('pending', 'failed', 'expired') limit ${METRIC_ROWS_MAX})
      group by status`,
    connections: sql`select type, enabled, count(*) as count from
      (select type, enabled from connections limit ${METRIC_ROWS_MAX}) group by type, enabled`,
    workflows: sql`select published_trigger_type as "trigger", active, count(*) as count from
      (select published_trigger_type, active from workflows limit ${METRIC_ROWS_MAX})
      group by published_trigger_type, active`,
    traces: sql`select (select count(*) from (select 1 from trace_queue limit ${METRIC_ROWS_MAX})) as queued,
      (select failing_since from trace_progress) as failingSince`,
    nextRun: sql`select min(next_run_at) as at from workflows where published_trigger_type = 'cron' and active = 1`,
  });
  return {
    totals: rows("totals").map((row) => ({ name: text(row["name"]), value: number(row["value"]) })),
    running: { count: number(rows("running")[0]?.["count"]), oldestId: textOrNull(rows("running")[0]?.["oldestId"]) },
    overdueExecutions: number(rows("overdue")[0]?.["count"]),
    approvals: {
      count: number(rows("approvals")[0]?.["count"]),
      oldestAt: numberOrNull(rows("approvals")[0]?.["at"]),
    },
    unreportedFailures: {
      count: number(rows("unreported")[0]?.["count"]),
      oldestAt: numberOrNull(rows("unreported")[0]?.["at"]),
    },
    openWindows: number(rows("windows")[0]?.["count"]),
    held: rows("held").map((row) => ({ code: text(row["code"]), count: number(row["count"]) })),
    unfinishedJobs: rows("unfinished").map((row) => ({
      poolObject: text(row["poolObject"]),
      count: number(row["count"]),
      oldestQueuedAt: number(row["oldestQueuedAt"]),
    })),
    dispatches: rows("dispatches").map((row) => ({
      queuedAt: numberOrNull(row["queuedAt"]),
      assignedAt: numberOrNull(row["assignedAt"]),
      deliveredAt: numberOrNull(row["deliveredAt"]),
      startedAt: numberOrNull(row["startedAt"]),
      reportedAt: numberOrNull(row["reportedAt"]),
    })),
    startDelaysMs: rows("starts").map((row) => number(row["delayMs"])),
    openIncidents: rows("incidents").map((row) => ({
      status: text(row["status"]),
      severity: text(row["severity"]),
      count: number(row["count"]),
    })),
    oldestUnmatchedEventAt: numberOrNull(rows("unmatched")[0]?.["at"]),
    credentials: rows("credentials").map((row) => ({ status: text(row["status"]), count: number(row["count"]) })),
    connections: rows("connections").map((row) => ({
      type: text(row["type"]),
      enabled: number(row["enabled"]) === 1,
      count: number(row["count"]),
    })),
    workflows: rows("workflows").map((row) => ({
      trigger: textOrNull(row["trigger"]),
      active: number(row["active"]) === 1,
      count: number(row["count"]),
    })),
    earliestNextRunAt: numberOrNull(rows("nextRun")[0]?.["at"]),
    traces: {
      queued: number(rows("traces")[0]?.["queued"]),
      failingSince: numberOrNull(rows("traces")[0]?.["failingSince"]),
    },
  };
}

export interface AgentCount {
  poolId: string | null;
  enabled: boolean;
  count: number;
}

/** Agents by pool and by enabled or not. Reads every agent's row, so it must not run for every scrape. */
export async function countAgents(db: Database): Promise<AgentCount[]> {
  const rows = await readAll(db, {
    counts: sql`select pool_id as poolId, enabled, count(*) as count from agents where deleted_at is null
      group by pool_id, enabled`,
  });
  return rows("counts").map((row) => ({
    poolId: textOrNull(row["poolId"]),
    enabled: number(row["enabled"]) === 1,
    count: number(row["count"]),
  }));
}

/** Agents that belong to no pool, by id. */
export function agentsWithoutPool(db: Database, limit: number): Promise<AgentRow[]> {
  return db
    .select()
    .from(agents)
    .where(and(isNull(agents.poolId), isNull(agents.deletedAt)))
    .orderBy(agents.id)
    .limit(limit);
}

/** The rows of each query by name, all from one moment. */
async function readAll<Name extends string>(db: Database, queries: Record<Name, SQL>): Promise<(name: Name) => Row[]> {
  const named: [string, SQL][] = Object.entries(queries);
  const results = await readRows(
    db,
    named.map(([, query]) => query),
  );
  const rows = new Map(named.map(([name], index) => [name, results[index] ?? []]));
  return (name) => rows.get(name) ?? [];
}

function number(value: SqlValue | undefined): number {
  return Number(value ?? 0);
}

function numberOrNull(value: SqlValue | undefined): number | null {
  return value === null || value === undefined ? null : Number(value);
}

function text(value: SqlValue | undefined): string {
  return typeof value === "string" ? value : "";
}

function textOrNull(value: SqlValue | undefined): string | null {
  return typeof value === "string" ? value : null;
}

/** How many executions wait for one reason. As in the indexes, so that no row is read: each has its trigger before `hold`. */
function heldWhere(condition: SQL): SQL {
  return sql`(select count(*) from (select 1 from executions where ${condition} limit ${METRIC_ROWS_MAX}))`;
}
