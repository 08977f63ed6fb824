import { and, asc, desc, eq, gt, inArray, isNotNull, isNull, lte, sql } from "drizzle-orm";
import type { SQL } from "drizzle-orm";
import type { ExecutionTriggerType } from "../../schema/contract/execution.ts";
import { executions, incidents, jobs, nodeRunOutputs, nodeRuns, workflows } from "../../schema/tables/index.ts";
import type { Database } from "./database.ts";

/** Each query reads a bounded part of an index. Conditions of partial indexes are literals, as SQLite demands. */
const IS_RUNNING = sql`${executions.status} = 'running'`;
const MESSAGE_MAX_CHARS = 500;

/** The waiting approvals of running executions, the oldest first. */
export async function findAskingRuns(db: Database, limit: number) {
  const isAsking = sql`${nodeRuns.status} = 'waiting' and ${nodeRuns.jobId} is null and ${nodeRuns.queuedAt} is not null`;
  const message = sql<string | null>`json_extract(${nodeRunOutputs.output}, '$.message')`;
  const { id, workflowId, versionId, startedBy } = executions;
  const rows = await db
    .select({
      run: nodeRuns,
      execution: { id, workflowId, versionId, startedBy },
      workflowName: workflows.name,
      message,
    })
    .from(nodeRuns)
    .innerJoin(executions, eq(executions.id, nodeRuns.executionId))
    .innerJoin(nodeRunOutputs, eq(nodeRunOutputs.nodeRunId, nodeRuns.id))
    .leftJoin(workflows, eq(workflows.id, executions.workflowId))
    // The plus keeps SQLite from beginning with all running executions.
    .where(and(isAsking, sql`+${executions.status} = 'running'`, isNotNull(message)))
    .orderBy(asc(nodeRuns.queuedAt), asc(nodeRuns.id))
    .limit(limit);
  return rows.map(({ message: text, ...row }) => ({ ...row, message: text ?? "" }));
}

/** Open critical incidents, then high ones, the oldest first: the severities' names have this order, too. */
export function findUrgentIncidents(db: Database, limit: number) {
  return db
    .select()
    .from(incidents)
    .where(sql`${incidents.status} <> 'resolved' and ${incidents.severity} in ('critical', 'high')`)
    .orderBy(asc(incidents.severity), asc(incidents.id))
    .limit(limit);
}

export interface OldJob {
  id: string;
  poolObject: string;
  queuedAt: number;
}

/**
 * Unfinished jobs of executions that were queued before a time, the oldest first. The sweep confirms jobs in their
 * order, so the confirmed ones that are read first are the oldest.
 */
export async function findOldJobs(db: Database, before: number, limit: number): Promise<OldJob[]> {
  const { id, poolObject, queuedAt, confirmedAt } = jobs;
  const old = (confirmed: SQL, ...order: SQL[]) =>
    db
      .select({ id, poolObject, queuedAt })
      .from(jobs)
      .where(and(eq(jobs.status, "queued"), confirmed, lte(queuedAt, before), isNotNull(jobs.executionId)))
      .orderBy(...order)
      .limit(limit);
  const found = await Promise.all([
    old(isNull(confirmedAt), asc(queuedAt)),
    old(gt(confirmedAt, 0), asc(confirmedAt), asc(queuedAt)),
  ]);
  return found
    .flat()
    .toSorted((a, b) => a.queuedAt - b.queuedAt)
    .slice(0, limit);
}

/** The nodes of jobs, and their executions. */
export function findNodesOfJobs(db: Database, jobIds: readonly string[]) {
  const { nodeId, iterationPath } = nodeRuns;
  return db
    .select({
      jobId: jobs.id,
      executionId: executions.id,
      versionId: executions.versionId,
      workflowId: executions.workflowId,
      workflowName: workflows.name,
      run: { nodeId, iterationPath },
    })
    .from(jobs)
    .innerJoin(nodeRuns, eq(nodeRuns.id, jobs.nodeRunId))
    .innerJoin(executions, eq(executions.id, jobs.executionId))
    .leftJoin(workflows, eq(workflows.id, executions.workflowId))
    .where(inArray(jobs.id, [...jobIds]));
}

/** Executions that started at or after a time; `id` is below the id of each of them. */
export interface Since {
  at: number;
  id: string;
}

/** Every workflow with a failed execution, the newest failure first: one index seek for each workflow. */
export function findFailingWorkflows(db: Database, since: Since, limit: number) {
  const newest = sql`(select f.id from executions f where ${failed(workflows.id, since)} order by f.id desc limit 1)`;
  return db
    .select({
      workflowId: workflows.id,
      workflowName: workflows.name,
      executionId: executions.id,
      startedAt: executions.startedAt,
      finishedAt: executions.finishedAt,
      message: sql<string | null>`substr(json_extract(${executions.error}, '$.message'), 1, ${MESSAGE_MAX_CHARS})`,
    })
    .from(workflows)
    .innerJoin(executions, eq(executions.id, newest))
    .orderBy(desc(executions.id))
    .limit(limit);
}

/** How many executions of each of these workflows failed, up to a limit. */
export async function countFailures(
  db: Database,
  workflowIds: readonly string[],
  since: Since,
  limit: number,
): Promise<Map<string, number>> {
  const failures = sql<number>`(select count(*) from (select 1 from executions f
    where ${failed(workflows.id, since)} limit ${limit}))`;
  const rows = await db
    .select({ id: workflows.id, failures })
    .from(workflows)
    .where(inArray(workflows.id, [...workflowIds]));
  return new Map(rows.map((row) => [row.id, row.failures]));
}

/** The plus keeps SQLite from choosing the index on the start time. */
function failed(workflowId: typeof workflows.id, { at, id }: Since): SQL {
  return sql`f.workflow_id = ${workflowId} and f.status = 'failed' and f.id >= ${id} and +f.started_at >= ${at}`;
}

/** Workflows whose schedule the service switched off, the newest first. */
export function findSwitchedOff(db: Database, limit: number) {
  const { id, name, revision, autoDisabledAt, autoDisableReason } = workflows;
  return db
    .select({ id, name, revision, autoDisabledAt, autoDisableReason })
    .from(workflows)
    .where(sql`${autoDisabledAt} is not null`)
    .orderBy(desc(autoDisabledAt))
    .limit(limit);
}

/** Running executions, the oldest first. */
export function findOldestRunning(db: Database, limit: number) {
  const { id, workflowId, startedAt, trigger, concurrencyKey, limits, suppressed } = executions;
  const triggerType = sql<ExecutionTriggerType>`json_extract(${trigger}, '$.type')`;
  return db
    .select({
      executionId: id,
      workflowId,
      workflowName: workflows.name,
      triggerType,
      startedAt,
      keys: { concurrencyKey, limits, suppressed },
    })
    .from(executions)
    .leftJoin(workflows, eq(workflows.id, workflowId))
    .where(IS_RUNNING)
    .orderBy(asc(id))
    .limit(limit);
}

/** How many executions are running, up to a limit. */
export async function countRunning(db: Database, limit: number): Promise<number> {
  const rows = await db.select({ id: executions.id }).from(executions).where(IS_RUNNING).limit(limit);
  return rows.length;
}

export async function hasWorkflow(db: Database): Promise<boolean> {
  return (await db.select({ id: workflows.id }).from(workflows).limit(1).get()) !== undefined;
}
