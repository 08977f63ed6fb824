import { and, asc, eq, gte, inArray, isNotNull, isNull, sql } from "drizzle-orm";
import {
  agents,
  connections,
  credentials,
  executions,
  jobs,
  nodeRunOutputs,
  nodeRuns,
  workflows,
} from "../../schema/tables/index.ts";
import type { SQL } from "drizzle-orm";
import type { Database } from "./database.ts";

/** The last row that was read of facts in the order of their times (epoch ms). */
export interface Position {
  readonly at: number;
  readonly id: string;
}

/** Conditions of partial indexes are literals, as SQLite demands. */
const IS_FAILED_ROOT = sql`${executions.parentExecutionId} is null and ${executions.status} = 'failed'
  and ${executions.finishedAt} is not null`;
const MESSAGE_MAX_CHARS = 500;

/**
 * Failed executions that are no sub-workflows, in the order of their ends. `isFirst`: no other execution of the
 * workflow has failed since its last success before. For one with a concurrency key, only others with the same key count.
 */
export function findFailedRuns(db: Database, after: Position, limit: number) {
  const { id, workflowId, versionId, finishedAt, concurrencyKey, limits } = executions;
  // Two queries for two indexes.
  const sameKey = (alias: string) => sql`and ${sql.raw(alias)}.concurrency_key = ${concurrencyKey}`;
  const failedBefore = sql`case when ${concurrencyKey} is null then ${hasFailedBefore(() => sql``)}
    else ${hasFailedBefore(sameKey)} end`;
  return db
    .select({
      id,
      workflowId,
      versionId,
      finishedAt: sql<number>`${finishedAt}`.mapWith(Number),
      code: sql<string | null>`json_extract(${executions.error}, '$.code')`,
      message: sql<string | null>`substr(json_extract(${executions.error}, '$.message'), 1, ${MESSAGE_MAX_CHARS})`,
      concurrencyKey,
      limits,
      workflowName: workflows.name,
      tags: workflows.tags,
      runbookUrl: workflows.runbookUrl,
      isFirst: sql<number>`not ${failedBefore}`.mapWith(Boolean),
    })
    .from(executions)
    .leftJoin(workflows, eq(workflows.id, workflowId))
    .where(and(IS_FAILED_ROOT, isAfter(finishedAt, id, after)))
    .orderBy(asc(finishedAt), asc(id))
    .limit(limit);
}

/** Whether another execution of the workflow, and of `also`, failed before this one, and none succeeded since. */
function hasFailedBefore(also: (alias: string) => SQL): SQL {
  const { id, workflowId, finishedAt } = executions;
  const lastSuccess = sql`(select max(s.finished_at) from executions s where s.workflow_id = ${workflowId}
    and ${isEndedRoot("s", "succeeded")} and s.finished_at <= ${finishedAt} ${also("s")})`;
  return sql`exists (select 1 from executions f where f.workflow_id = ${workflowId}
    and ${isEndedRoot("f", "failed")} and f.finished_at <= ${finishedAt} and f.finished_at > coalesce(${lastSuccess}, -1)
    and (f.finished_at < ${finishedAt} or f.id < ${id}) ${also("f")})`;
}

/** As in the indexes. */
function isEndedRoot(alias: string, status: "succeeded" | "failed"): SQL {
  return sql.raw(
    `${alias}.parent_execution_id is null and ${alias}.finished_at is not null and ${alias}.status = '${status}'`,
  );
}

export type FailedRunRow = Awaited<ReturnType<typeof findFailedRuns>>[number];

/** Failed steps of executions, in any order. */
export function findFailedNodes(db: Database, executionIds: readonly string[], limit: number) {
  const { executionId, nodeId, iterationPath, status, finishedAt } = nodeRuns;
  return db
    .select({ executionId, nodeId, iterationPath, finishedAt })
    .from(nodeRuns)
    .where(and(inArray(executionId, [...executionIds]), inArray(status, ["failed", "timed_out"])))
    .limit(limit);
}

/**
 * The last success of each of these workflows, or of its runs with a concurrency key. Deleted workflows are left out.
 * The rows have the place in `failing`.
 */
export function findLastSuccesses(
  db: Database,
  failing: readonly { readonly workflowId: string; readonly key: string | null }[],
) {
  const asked = JSON.stringify(failing.map(({ workflowId, key }) => [workflowId, key]));
  const place = sql<number>`asked.key`.mapWith(Number);
  const lastOf = (also: SQL) => sql`(select s.id from executions s where s.workflow_id = ${workflows.id}
    and ${isEndedRoot("s", "succeeded")} ${also} order by s.finished_at desc limit 1)`;
  const key = sql`(asked.value ->> 1)`;
  const last = sql`case when ${key} is null then ${lastOf(sql``)} else ${lastOf(sql`and s.concurrency_key = ${key}`)} end`;
  return db
    .select({
      place,
      workflowName: workflows.name,
      tags: workflows.tags,
      executionId: executions.id,
      finishedAt: executions.finishedAt,
    })
    .from(sql`json_each(${asked}) as asked`)
    .innerJoin(workflows, sql`${workflows.id} = (asked.value ->> 0)`)
    .leftJoin(executions, eq(executions.id, last));
}

/** Workflows whose schedule was switched off, in that order. */
export function findSwitchedOffAfter(db: Database, after: Position, limit: number) {
  const { id, name, tags, runbookUrl, autoDisabledAt, autoDisableReason } = workflows;
  return db
    .select({
      id,
      name,
      tags,
      runbookUrl,
      reason: autoDisableReason,
      at: sql<number>`${autoDisabledAt}`.mapWith(Number),
    })
    .from(workflows)
    .where(and(isNotNull(autoDisabledAt), isAfter(autoDisabledAt, id, after)))
    .orderBy(asc(autoDisabledAt), asc(id))
    .limit(limit);
}

/** Node runs of running executions that wait for a person, in the order in which they began to. */
export function findAskingAfter(db: Database, after: Position, limit: number) {
  const { id, nodeId, iterationPath, queuedAt } = nodeRuns;
  const isAsking = sql`${nodeRuns.status} = 'waiting' and ${nodeRuns.jobId} is null and ${queuedAt} is not null`;
  const { output } = nodeRunOutputs;
  const message = sql<string | null>`substr(json_extract(${output}, '$.message'), 1, ${MESSAGE_MAX_CHARS})`;
  return (
    db
      .select({
        id,
        nodeId,
        iterationPath,
        at: sql<number>`${queuedAt}`.mapWith(Number),
        executionId: executions.id,
        versionId: executions.versionId,
        workflowId: executions.workflowId,
        concurrencyKey: executions.concurrencyKey,
        limits: executions.limits,
        workflowName: workflows.name,
        tags: workflows.tags,
        message,
        isBeyondLimit: sql<number>`json_extract(${output}, '$.limit') is not null`.mapWith(Boolean),
      })
      .from(nodeRuns)
      .innerJoin(executions, eq(executions.id, nodeRuns.executionId))
      .innerJoin(nodeRunOutputs, eq(nodeRunOutputs.nodeRunId, nodeRuns.id))
      .leftJoin(workflows, eq(workflows.id, executions.workflowId))
      // The plus keeps SQLite from beginning with all running executions.
      .where(and(isAsking, isAfter(queuedAt, id, after), sql`+${executions.status} = 'running'`, isNotNull(message)))
      .orderBy(asc(queuedAt), asc(id))
      .limit(limit)
  );
}

/** Credentials that an agent refused, or did not fetch, in the order of their last changes; each status by itself. */
export function findLostCredentials(db: Database, after: Position, limit: number) {
  const { connectionId, agentId, version, status, error, updatedAt: at } = credentials;
  const id = sql<string>`${connectionId} || ':' || ${agentId}`;
  const of = (state: "failed" | "expired") =>
    db
      .select({
        id,
        at,
        version,
        status,
        error,
        connectionId,
        connectionName: connections.name,
        agentName: agents.name,
      })
      .from(credentials)
      .leftJoin(connections, eq(connections.id, connectionId))
      .leftJoin(agents, eq(agents.id, agentId))
      // The bound is by the index; the rest is for rows of the same millisecond.
      .where(and(eq(status, state), gte(at, after.at), sql`(${at} > ${after.at} or ${id} > ${after.id})`))
      .orderBy(asc(at))
      .limit(limit);
  return Promise.all([of("failed"), of("expired")]);
}

/**
 * Jobs whose target refused the login of their connection, in the order of their ends: actions that failed for it, and
 * tests of connections that found it.
 */
export function findRefusedLogins(db: Database, after: Position, limit: number) {
  const { id, reportedAt, kind, connectionId, agentId, executionId, error, output } = jobs;
  const isAbout = sql`${connectionId} is not null
    and (${kind} = 'connectionTest' or ${error} ->> '$.code' = 'authentication_failed')`;
  // An agent's output may have anything in place of its checks.
  const check = sql`(select value ->> '$.detail' from json_each(${output}, '$.checks') where case
    when type = 'object' then value ->> '$.name' = 'Authentication' and not value ->> '$.ok' end limit 1)`;
  const message = sql<string>`substr(case when ${error} ->> '$.code' = 'authentication_failed'
    then ${error} ->> '$.message' else ${check} end, 1, ${MESSAGE_MAX_CHARS})`;
  return db
    .select({
      id,
      at: sql<number>`${reportedAt}`.mapWith(Number),
      executionId,
      connectionId: sql<string>`${connectionId}`,
      connectionName: connections.name,
      agentName: agents.name,
      message,
    })
    .from(jobs)
    .leftJoin(connections, eq(connections.id, connectionId))
    .leftJoin(agents, eq(agents.id, agentId))
    .where(and(isAbout, isAfter(reportedAt, id, after), sql`${message} is not null`))
    .orderBy(asc(reportedAt), asc(id))
    .limit(limit);
}

/** Every agent that was not deleted, by id. */
export function presentAgents(db: Database): Promise<{ id: string; poolId: string | null; enabled: boolean }[]> {
  const { id, poolId, enabled, deletedAt } = agents;
  return db.select({ id, poolId, enabled }).from(agents).where(isNull(deletedAt)).orderBy(asc(id));
}

type Column =
  | typeof executions.finishedAt
  | typeof workflows.autoDisabledAt
  | typeof nodeRuns.queuedAt
  | typeof jobs.reportedAt;
type IdColumn = typeof executions.id | typeof workflows.id | typeof nodeRuns.id | typeof jobs.id;

function isAfter(at: Column, id: IdColumn, after: Position) {
  return sql`(${at}, ${id}) > (${after.at}, ${after.id})`;
}
