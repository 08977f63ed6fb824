import { and, desc, eq, getTableColumns, gte, inArray, isNotNull, lt, lte, sql } from "drizzle-orm";
import type { SQL } from "drizzle-orm";
import type { ExecutionStatus, ExecutionTrigger, ExecutionTriggerType } from "../../schema/contract/execution.ts";
import type { JsonValue } from "../../schema/contract/json.ts";
import { executions, jobs, nodeRunOutputs, nodeRuns } from "../../schema/tables/index.ts";
import type { ExecutionRow, NodeRunRow } from "../../schema/tables/index.ts";
import { readRows } from "./database.ts";
import type { Database } from "./database.ts";
import { isWithinOneRead, withinOneRead } from "./node-run-outputs.ts";

export type { ExecutionRow, NodeRunRow };

export interface ExecutionFilter {
  workflowId: string | undefined;
  status: ExecutionStatus | undefined;
  trigger: ExecutionTriggerType | undefined;
  /** Epoch milliseconds, both inclusive. */
  started: { from: number | undefined; to: number | undefined };
  /** The ids of executions that began in that time; `from` inclusive. */
  ids: { from: string | undefined; before: string | undefined };
}

/** As in the index `executions_by_trigger`. */
const TRIGGER_TYPE = sql`(${executions.trigger} ->> '$.type')`;

/** With as many as a page has, an answer of the database stays below its limit (docs/design/databases.md). */
const LISTED_TRIGGER_MAX_BYTES = 16 * 1_024;

/** The columns of an execution in a list: without the events that joined it, and a large trigger without what makes it large. */
export const LISTED = { ...getTableColumns(executions), trigger: listedTrigger().mapWith(executions.trigger) };

function listedTrigger(): SQL<ExecutionTrigger> {
  const { trigger } = executions;
  const alone = sql`json_remove(${trigger}, '$.incident.batch')`;
  const isLarge = (json: SQL | typeof trigger) => sql`octet_length(${json}) > ${LISTED_TRIGGER_MAX_BYTES}`;
  return sql<ExecutionTrigger>`case
    when ${TRIGGER_TYPE} = 'incident' then
      case when ${isLarge(alone)} then json_remove(${alone}, '$.incident.description', '$.incident.tags') else ${alone} end
    when ${isLarge(trigger)} then json_replace(json_remove(${trigger}, '$.failed.incident'), '$.variables', json('{}'))
    else ${trigger} end`;
}

/** Newest first, up to `limit`: ids rise with time. */
export function listExecutions(
  db: Database,
  filter: ExecutionFilter,
  page: { beforeId: string | null; limit: number },
): Promise<ExecutionRow[]> {
  const { started, ids } = filter;
  // With two upper bounds SQLite seeks by one only, so it gets just the lower one.
  const before = [page.beforeId, ids.before].filter((id) => typeof id === "string").sort()[0];
  // The plus keeps SQLite from choosing the index on the start time, where it would have to sort every later execution.
  const startedAt = sql`+${executions.startedAt}`;
  return db
    .select(LISTED)
    .from(executions)
    .where(
      and(
        filter.workflowId === undefined ? undefined : narrow(eq(executions.workflowId, filter.workflowId)),
        ...byStatusAndTrigger(filter),
        started.from === undefined ? undefined : gte(startedAt, started.from),
        started.to === undefined ? undefined : lte(startedAt, started.to),
        ids.from === undefined ? undefined : gte(executions.id, ids.from),
        before === undefined ? undefined : lt(executions.id, before),
      ),
    )
    .orderBy(desc(executions.id))
    .limit(page.limit);
}

/**
 * A workflow, a failure or a run that goes on is rarer than a kind of trigger, so the index on the trigger serves only
 * lists without them. The plus keeps SQLite from choosing the other one.
 */
function byStatusAndTrigger({ workflowId, status, trigger }: ExecutionFilter): (SQL | undefined)[] {
  const isByTrigger = trigger !== undefined && workflowId === undefined && (status ?? "succeeded") === "succeeded";
  const storedStatus = isByTrigger ? sql`+${executions.status}` : sql`${executions.status}`;
  const triggerType = isByTrigger ? TRIGGER_TYPE : sql`+${TRIGGER_TYPE}`;
  return [
    status === undefined ? undefined : narrow(eq(storedStatus, status)),
    trigger === undefined ? undefined : narrow(eq(triggerType, trigger)),
  ];
}

/** Without statistics SQLite expects too few rows from a span of ids, and takes the wrong index. */
function narrow(condition: SQL): SQL {
  return sql`unlikely(${condition})`;
}

/** Of these executions: those that are held or have a node run that is stored as waiting, and the jobs that have not ended. */
export async function findWaits(db: Database, executionIds: readonly string[]) {
  const [held, waiting, openJobs] = await db.batch([
    db
      .select({ executionId: executions.id })
      .from(executions)
      .where(and(inArray(executions.id, [...executionIds]), isNotNull(executions.hold))),
    db
      .selectDistinct({ executionId: nodeRuns.executionId })
      .from(nodeRuns)
      .where(and(inArray(nodeRuns.executionId, [...executionIds]), eq(nodeRuns.status, "waiting"))),
    db
      .select({ id: jobs.id, executionId: jobs.executionId, poolObject: jobs.poolObject })
      .from(jobs)
      .where(and(inArray(jobs.executionId, [...executionIds]), eq(jobs.status, "queued"))),
  ]);
  return { waiting: [...held, ...waiting], openJobs };
}

export async function findExecution(db: Database, id: string): Promise<ExecutionRow | null> {
  return (await db.select().from(executions).where(eq(executions.id, id)).get()) ?? null;
}

/** The node of a node run of this execution; null when there is no such node run. */
export async function findNodeOfRun(db: Database, executionId: string, nodeRunId: string): Promise<string | null> {
  const row = await db
    .select({ nodeId: nodeRuns.nodeId })
    .from(nodeRuns)
    .where(and(eq(nodeRuns.executionId, executionId), eq(nodeRuns.id, nodeRunId)))
    .get();
  return row?.nodeId ?? null;
}

/**
 * The versions of the executions above this sub-workflow, up to the outermost. Also those above a former sub-workflow
 * that one of them repeats, because its parent chose the variables. Nothing is above what an event or a person started.
 */
export async function findAncestorVersions(db: Database, id: string): Promise<string[]> {
  const [rows = []] = await readRows(db, [
    sql`${chainOf(id)}
    select e.version_id as versionId from executions e join chain on e.id = chain.id where chain.is_parent`,
  ]);
  return rows.map(({ versionId }) => String(versionId));
}

/** Whether one of the executions of `findAncestorVersions` was deleted. */
export async function hasLostAncestor(db: Database, id: string): Promise<boolean> {
  const [rows = []] = await readRows(db, [
    sql`${chainOf(id)}
    select 1 from chain where id is not null and not exists (select 1 from executions e where e.id = chain.id) limit 1`,
  ]);
  return rows.length > 0;
}

function chainOf(id: string): SQL {
  return sql`
    with recursive chain(id, is_parent) as (
      select ${id}, 0
      union select e.parent_execution_id, 1 from executions e join chain on e.id = chain.id
      union select e.retry_of, 0 from executions e join chain on e.id = chain.id
        where e.trigger ->> '$.type' = 'workflow'
    )`;
}

export type LastExecutionRow = Pick<ExecutionRow, "id" | "workflowId" | "status" | "startedAt" | "finishedAt">;

/** The newest execution of each workflow that has one, in one query with an index seek for each. */
export function findLastExecutions(db: Database, workflowIds: readonly string[]): Promise<LastExecutionRow[]> {
  const { id, workflowId, status, startedAt, finishedAt } = executions;
  const newest = sql`(select (select max(e.id) from executions e where e.workflow_id = w.value)
    from json_each(${JSON.stringify(workflowIds)}) w)`;
  return db.select({ id, workflowId, status, startedAt, finishedAt }).from(executions).where(inArray(id, newest));
}

/**
 * An execution's node runs in order of creation, with their outputs: as many as fit into the first answer, the others in
 * further ones.
 */
export async function findNodeRuns(
  db: Database,
  executionId: string,
): Promise<{ run: NodeRunRow; output: JsonValue | null }[]> {
  const isWithin = isWithinOneRead(sql`${nodeRuns}.rowid`);
  const rows = await db
    .select({
      run: nodeRuns,
      output: sql<JsonValue>`case when ${isWithin} then ${nodeRunOutputs.output} end`.mapWith(nodeRunOutputs.output),
      leftBytes: sql<number>`case when ${isWithin} then 0 else length(cast(${nodeRunOutputs.output} as blob)) end`,
    })
    .from(nodeRuns)
    .leftJoin(nodeRunOutputs, eq(nodeRunOutputs.nodeRunId, nodeRuns.id))
    .where(eq(nodeRuns.executionId, executionId))
    .orderBy(sql`${nodeRuns}.rowid`);
  const left = rows
    .filter(({ leftBytes }) => leftBytes > 0)
    .map(({ run, leftBytes }) => ({ id: run.id, bytes: leftBytes }));
  const others = new Map<string, JsonValue | null>();
  for (const group of withinOneRead(left)) {
    const read = await db
      .select({ id: nodeRunOutputs.nodeRunId, output: nodeRunOutputs.output })
      .from(nodeRunOutputs)
      .where(
        inArray(
          nodeRunOutputs.nodeRunId,
          group.map(({ id }) => id),
        ),
      );
    for (const { id, output } of read) others.set(id, output);
  }
  return rows.map(({ run, output }) => ({ run, output: others.get(run.id) ?? output }));
}
