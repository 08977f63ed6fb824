import { sql } from "drizzle-orm";
import type { SQL } from "drizzle-orm";
import { RETAINED_KINDS } from "../../schema/contract/retention.ts";
import type { ExecutionPeriods, RetainedKind, RetentionPeriods } from "../../schema/contract/retention.ts";
import { readRows } from "./database.ts";
import type { Database } from "./database.ts";
import { ranAsKey } from "./suppressed-executions.ts";

const DAY_MS = 24 * 60 * 60_000;

/** The rows to delete at a time: by their age in days, and those with an id below the first one that may be kept. */
export interface DueAt {
  periods: RetentionPeriods;
  /** Epoch ms. */
  at: number;
  /** See `firstIdAt`. */
  firstIncident: string;
  firstAudit: string;
}

/** Rows of a kind that are due, up to a number. */
export interface DueCount {
  kind: RetainedKind;
  rows: number;
}

/**
 * How many rows of each kind are due. Each query reads as many entries of an index as it counts, and for executions two
 * for each and one more for each workflow.
 */
export async function countDue(db: Database, due: DueAt, limit: number): Promise<DueCount[]> {
  const count = (rows: SQL) => sql`select count(*) as n from (${rows} limit ${limit})`;
  const read = await readRows(
    db,
    RETAINED_KINDS.map((kind) =>
      kind === "executions" ? countTrees(endedRoots(due), limit) : count(dueRows(kind, due)),
    ),
  );
  return RETAINED_KINDS.map((kind, index) => ({ kind, rows: Number(read[index]?.[0]?.["n"] ?? 0) }));
}

/** Counts these executions with all below them, up to a number. */
function countTrees(roots: SQL, limit: number): SQL {
  return sql`with recursive tree(id) as (
      select id from (${roots} limit ${limit})
      union all select c.id from tree join executions c on c.parent_execution_id = tree.id
      limit ${limit}
    ) select count(*) as n from tree`;
}

/** A query for the due rows of a kind: the ids of executions, the row numbers of others. */
export function dueRows(kind: RetainedKind, due: DueAt): SQL {
  const { periods, at, firstIncident, firstAudit } = due;
  const before = (days: number) => at - days * DAY_MS;
  switch (kind) {
    case "executions":
      return endedRoots(due);
    case "incidents":
      return sql`select rowid from incidents where status = 'resolved' and id < ${firstIncident}
        and updated_at <= ${before(periods.incidentDays)}
        and not exists (select 1 from incident_events e where e.incident_id = incidents.id and e.matched_at is null)`;
    case "audit":
      return sql`select rowid from audit_log where id < ${firstAudit}`;
    case "missedRuns":
      return sql`select rowid from missed_runs where recorded_at <= ${before(periods.missedRunDays)}`;
    case "deliveries":
      return sql`select rowid from integration_deliveries where at <= ${before(periods.deliveryDays)}`;
    case "lateResults":
      return sql`select rowid from stale_results where received_at <= ${before(periods.lateResultDays)}`;
  }
}

/**
 * Executions that ended long ago and that no other execution started. One index seek for each workflow and status, so
 * that none reads what is kept. Conditions of the partial index are literals, as SQLite demands.
 */
function endedRoots({ periods, at }: DueAt): SQL {
  const ended = (statuses: SQL, name: "executionDays" | "failedDays") => sql`select e.id
    from (select id, retention, retention_former from workflows
      union all select id, retention, retention_former from deleted_workflows) w
    cross join executions e indexed by executions_ended_roots
    where e.workflow_id = w.id and e.status in ${statuses} and e.parent_execution_id is null
      and e.finished_at is not null and e.finished_at <= ${at} - ${DAY_MS} * ${daysOf(name, periods[name], at)}`;
  return sql`${ended(ENDED_WELL, "executionDays")} union all ${ended(FAILED, "failedDays")}`;
}

const ENDED_WELL = sql`('succeeded', 'cancelled')`;
const FAILED = sql`('failed')`;

/** The period of a workflow `w`: its own or the default, and its former one while that applies and is longer. */
function daysOf(name: "executionDays" | "failedDays", defaultDays: number, at: number): SQL {
  return sql`max(coalesce(w.retention ->> ${`$.${name}`}, ${defaultDays}),
    case when w.retention_former ->> '$.until' > ${at} then w.retention_former ->> ${`$.periods.${name}`} else 0 end)`;
}

/** How many executions of a workflow are due at a time with these periods, with their sub-workflows. */
export async function countDueOfWorkflow(
  db: Database,
  workflowId: string,
  { periods, at }: { periods: ExecutionPeriods; at: number },
  limit: number,
): Promise<number> {
  const ended = (statuses: SQL, days: number) => sql`select id from executions indexed by executions_ended_roots
    where workflow_id = ${workflowId} and status in ${statuses} and parent_execution_id is null
      and finished_at is not null and finished_at <= ${at - days * DAY_MS}`;
  const due = sql`${ended(ENDED_WELL, periods.executionDays)} union all ${ended(FAILED, periods.failedDays)}`;
  const [rows] = await readRows(db, [countTrees(due, limit)]);
  return Number(rows?.[0]?.["n"] ?? 0);
}

/**
 * Whether nothing starts the execution a second time or continues it: it has no effects left to publish, and the
 * incident's events that it was started by have been compared with every workflow. The execution that a person started for one that
 * a maintenance window skipped is not settled while that one is kept: the skipped one could be run again.
 */
function isSettled(e: SQL): SQL {
  return sql`${e}.wake_at is null and not exists (
      select 1 from incident_events v where v.id = ${e}.trigger_key and v.matched_at is null)
    and not exists (select 1 from batched_events b join incident_events v on v.id = b.trigger_key
      where b.execution_id = ${e}.id and v.matched_at is null)
    and not exists (select 1 from executions skipped
      where ${e}.trigger_key like ${ranAsKey("%")} and skipped.id = substr(${e}.trigger_key, ${ranAsKey("").length + 1}))`;
}

/** The executions that are due and in which, with their sub-workflows, nothing is left to do. */
export async function dueExecutions(db: Database, due: DueAt, limit: number): Promise<string[]> {
  const [rows = []] = await readRows(db, [
    sql`select id from (${endedRoots(due)}) r where ${hasQuietTree(sql`r.id`)} limit ${limit}`,
  ]);
  return rows.map(({ id }) => String(id));
}

/**
 * Whether an execution and every one below it have ended and are settled, and nothing that repeats one of them runs: who
 * may approve a repeated sub-workflow depends on the executions above the former one.
 */
export function hasQuietTree(id: SQL): SQL {
  return sql`not exists (
    with recursive tree(id) as (${treeOf(sql`select ${id}`)})
    select 1 from tree join executions t on t.id = tree.id
    where t.status = 'running' or not (${isSettled(sql`t`)}))
    and not ${isBeingRepeated(id)}`;
}

/** Whether an execution runs that repeats this one or one below it, also by way of other executions. */
export function isBeingRepeated(id: SQL): SQL {
  return sql`exists (
    with recursive tree(id) as (${treeOf(sql`select ${id}`)}
      union select r.id from tree join executions r on r.retry_of = tree.id)
    select 1 from tree join executions t on t.id = tree.id where t.status = 'running')`;
}

/** The body of a recursive table `tree(id)`: these executions and those that their nodes started. */
export function treeOf(roots: SQL): SQL {
  return sql`${roots} union select c.id from tree join executions c on c.parent_execution_id = tree.id`;
}
