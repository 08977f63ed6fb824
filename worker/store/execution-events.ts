import { and, asc, eq, getTableColumns, gt, inArray, isNotNull, or, sql } from "drizzle-orm";
import type { ExecutionTrigger } from "../../schema/contract/execution.ts";
import type { JsonValue } from "../../schema/contract/json.ts";
import { executionEvents, executions, jobs, nodeRunOutputs, nodeRuns } from "../../schema/tables/index.ts";
import type { ExecutionRow, NodeRunRow } from "../../schema/tables/index.ts";
import type { Database } from "./database.ts";

/** An execution at one moment, with some of its node runs. */
export interface ExecutionChanges {
  row: ExecutionRow;
  runs: { run: NodeRunRow; output: JsonValue | null }[];
  /** The jobs that have not ended, and their dispatchers. */
  openJobs: { id: string; poolObject: string }[];
}

/**
 * The changes since a revision, in one consistent read: all node runs up to the row's revision, and none later. With
 * `withOpen`, also node runs with an open job, whose stages change without a revision. Null when there is no such
 * execution.
 */
export async function readChangesSince(
  db: Database,
  executionId: string,
  after: number,
  withOpen: boolean,
): Promise<ExecutionChanges | null> {
  const changed = gt(nodeRuns.revision, after);
  const underWay = and(inArray(nodeRuns.status, ["waiting", "running"]), isNotNull(nodeRuns.jobId));
  const [rows, runs, openJobs] = await db.batch([
    db.select().from(executions).where(eq(executions.id, executionId)),
    db
      .select({ run: nodeRuns, output: nodeRunOutputs.output })
      .from(nodeRuns)
      .leftJoin(nodeRunOutputs, eq(nodeRunOutputs.nodeRunId, nodeRuns.id))
      .where(and(eq(nodeRuns.executionId, executionId), withOpen ? or(changed, underWay) : changed))
      .orderBy(sql`${nodeRuns}.rowid`),
    db
      .select({ id: jobs.id, poolObject: jobs.poolObject })
      .from(jobs)
      .where(and(eq(jobs.executionId, executionId), eq(jobs.status, "queued"))),
  ]);
  const [row] = rows;
  return row === undefined ? null : { row, runs, openJobs };
}

/** Longer triggers are left out of lists: a list shows how an execution began, not all of its input. */
const TRIGGER_MAX_CHARS = 4_096;

/** An execution in a list. The trigger is null when it is too long. */
export type ListedExecution = Omit<ExecutionRow, "trigger"> & { trigger: ExecutionTrigger | null };

/** A step of any execution. `seq` is its row number, which rises in the order of the commits. */
export interface SequencedStep {
  seq: number;
  execution: ListedExecution;
}

const SEQ = sql<number>`${executionEvents}.rowid`.mapWith(Number);

/** The number of the last step; 0 when there is none. */
export async function latestStep(db: Database): Promise<number> {
  const row = await db
    .select({ seq: sql<number>`coalesce(max(rowid), 0)`.mapWith(Number) })
    .from(executionEvents)
    .get();
  return row?.seq ?? 0;
}

/**
 * At most `limit` steps after `after`, in order. Each execution appears once, at its last step among them and in its
 * present state. `seq` is the last step read; `latest` is the last step that exists.
 */
export async function readStepsAfter(
  db: Database,
  after: number,
  limit: number,
): Promise<{ latest: number; seq: number; steps: SequencedStep[] }> {
  const [rows, [last]] = await db.batch([
    db
      .select({ seq: SEQ, executionId: executionEvents.executionId })
      .from(executionEvents)
      .where(gt(SEQ, after))
      .orderBy(asc(SEQ))
      .limit(limit),
    db.select({ seq: sql<number>`coalesce(max(rowid), 0)`.mapWith(Number) }).from(executionEvents),
  ]);
  const seqs = new Map<string, number>();
  for (const { seq, executionId } of rows) seqs.set(executionId, seq);
  const found = seqs.size === 0 ? [] : await listedExecutions(db, [...seqs.keys()]);
  const steps = found.map((execution) => ({ seq: seqs.get(execution.id) ?? 0, execution }));
  return { latest: last?.seq ?? 0, seq: rows.at(-1)?.seq ?? after, steps: steps.sort((a, b) => a.seq - b.seq) };
}

function listedExecutions(db: Database, ids: readonly string[]): Promise<ListedExecution[]> {
  const short = sql<ExecutionTrigger | null>`case when length(${executions.trigger}) <= ${TRIGGER_MAX_CHARS} then ${executions.trigger} end`;
  return db
    .select({ ...getTableColumns(executions), trigger: short.mapWith(executions.trigger) })
    .from(executions)
    .where(inArray(executions.id, [...ids]));
}
