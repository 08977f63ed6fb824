import { and, eq, inArray, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";
import { deletedWorkflows, executions, jobs, nodeRuns, workflows } from "../../schema/tables/index.ts";
import type { EndedExecution, EndedJob } from "../domain/trace/ended-execution.ts";
import type { Database } from "./database.ts";
import { toPath } from "./execution-rows.ts";

const repeated = alias(executions, "repeated");
const followed = alias(executions, "followed");
const codeOf = (error: typeof executions.error | typeof nodeRuns.error | typeof jobs.error) =>
  sql<string | null>`${error} ->> '$.code'`;

/** Several executions are read only if all of it fits: there the order of what is cut does not matter. */
const FIRST_RUNS = [
  sql`case when ${nodeRuns.iterationPath} = '' then 0
    else 1 + length(${nodeRuns.iterationPath}) - length(replace(${nodeRuns.iterationPath}, '.', '')) end`,
  nodeRuns.id,
];

/**
 * The part of ended executions that traces show, of those that exist. With more than `rows` node runs or jobs in total,
 * null; of one execution alone, the first ones: those outside of iterations before others, each in the order of its
 * creation. Node runs and jobs always come in this order.
 */
export async function readEnded(db: Database, ids: readonly string[], rows: number): Promise<EndedExecution[] | null> {
  const [found, runs, theirJobs] = await db.batch([
    selectExecutions(db, ids),
    selectRuns(db, ids, rows + 1),
    selectJobs(db, ids, rows + 1),
  ]);
  const isCut = runs.length > rows || theirJobs.length > rows;
  if (isCut && ids.length > 1) return null;
  const runsOf = Map.groupBy(runs.slice(0, rows), ({ executionId }) => executionId);
  const jobsOf = Map.groupBy(theirJobs.slice(0, rows), ({ executionId }) => executionId);
  return found.flatMap(({ rootId, repeated, followed, finishedAt, ...execution }) =>
    finishedAt === null
      ? []
      : {
          ...execution,
          finishedAt,
          rootId: rootId ?? execution.id,
          repeats: repeated === null ? null : { ...repeated, rootId: repeated.rootId ?? repeated.id },
          follows: followed === null ? null : { ...followed, rootId: followed.rootId ?? followed.id },
          nodeRuns: (runsOf.get(execution.id) ?? [])
            .map(({ iterationPath, ...run }) => ({ ...run, path: toPath(iterationPath) }))
            .toSorted((a, b) => a.path.length - b.path.length || compare(a.id, b.id)),
          jobs: (jobsOf.get(execution.id) ?? []).flatMap(toJob).toSorted((a, b) => compare(a.id, b.id)),
          isCut,
        },
  );
}

/** Null for an outermost execution. */
function rootOf({ rootExecutionId, parentExecutionId }: Record<"rootExecutionId" | "parentExecutionId", SQLiteColumn>) {
  return sql<string | null>`coalesce(${rootExecutionId}, ${parentExecutionId})`;
}

function selectExecutions(db: Database, ids: readonly string[]) {
  return db
    .select({
      id: executions.id,
      workflowId: executions.workflowId,
      workflowName: sql<string | null>`coalesce(${workflows.name}, ${deletedWorkflows.name})`,
      versionId: executions.versionId,
      status: executions.status,
      trigger: sql<string>`${executions.trigger} ->> '$.type'`,
      rootId: rootOf(executions),
      parentNodeRunId: executions.parentNodeRunId,
      repeated: { id: repeated.id, rootId: rootOf(repeated) },
      followed: { id: followed.id, rootId: rootOf(followed) },
      startedAt: executions.startedAt,
      begunAt: executions.begunAt,
      finishedAt: executions.finishedAt,
      errorCode: codeOf(executions.error),
      suppressedAs: sql<string | null>`${executions.suppressed} ->> '$.as'`,
    })
    .from(executions)
    .leftJoin(workflows, eq(workflows.id, executions.workflowId))
    .leftJoin(deletedWorkflows, eq(deletedWorkflows.id, executions.workflowId))
    .leftJoin(repeated, eq(repeated.id, executions.retryOf))
    .leftJoin(followed, sql`${followed.id} = ${executions.trigger} ->> '$.failed.executionId'`)
    .where(inArray(executions.id, [...ids]));
}

function selectRuns(db: Database, ids: readonly string[], limit: number) {
  return db
    .select({
      executionId: nodeRuns.executionId,
      id: nodeRuns.id,
      nodeId: nodeRuns.nodeId,
      iterationPath: nodeRuns.iterationPath,
      status: nodeRuns.status,
      outcome: nodeRuns.outcome,
      attempt: nodeRuns.attempt,
      jobId: nodeRuns.jobId,
      childExecutionId: nodeRuns.childExecutionId,
      errorCode: codeOf(nodeRuns.error),
      queuedAt: nodeRuns.queuedAt,
      startedAt: nodeRuns.startedAt,
      finishedAt: nodeRuns.finishedAt,
    })
    .from(nodeRuns)
    .where(inArray(nodeRuns.executionId, [...ids]))
    .orderBy(...(ids.length === 1 ? FIRST_RUNS : []))
    .limit(limit);
}

function selectJobs(db: Database, ids: readonly string[], limit: number) {
  const firstRuns = db
    .select({ id: nodeRuns.id })
    .from(nodeRuns)
    .where(inArray(nodeRuns.executionId, [...ids]))
    .orderBy(...FIRST_RUNS)
    .limit(limit - 1);
  return db
    .select({
      executionId: jobs.executionId,
      id: jobs.id,
      nodeRunId: jobs.nodeRunId,
      action: jobs.action,
      effect: jobs.effect,
      connectionId: jobs.connectionId,
      poolObject: jobs.poolObject,
      agentId: jobs.agentId,
      status: jobs.status,
      attempt: jobs.attempt,
      errorCode: codeOf(jobs.error),
      assignments: jobs.assignments,
      queuedAt: jobs.queuedAt,
      assignedAt: jobs.assignedAt,
      deliveredAt: jobs.deliveredAt,
      startedAt: jobs.startedAt,
      finishedAt: jobs.finishedAt,
      reportedAt: jobs.reportedAt,
    })
    .from(jobs)
    .where(and(inArray(jobs.executionId, [...ids]), ids.length === 1 ? inArray(jobs.nodeRunId, firstRuns) : undefined))
    .orderBy(...(ids.length === 1 ? [jobs.id] : []))
    .limit(limit);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

type JobRow = Awaited<ReturnType<typeof selectJobs>>[number];

function toJob({ nodeRunId, assignments, ...row }: JobRow): EndedJob[] {
  const { queuedAt, assignedAt, deliveredAt, startedAt, finishedAt, reportedAt, ...job } = row;
  const times = { queuedAt, assignedAt, deliveredAt, startedAt, finishedAt, reportedAt };
  return nodeRunId === null ? [] : [{ ...job, nodeRunId, lost: assignments ?? [], times }];
}
