import { and, asc, eq, getTableColumns, gt, inArray, isNotNull, or, sql } from "drizzle-orm";
import type { ExecutionTrigger } from "../../schema/contract/execution.ts";
import type { JsonValue } from "../../schema/contract/json.ts";
import { executionEvents, executions, jobs, nodeRunOutputs, nodeRuns } from "../../schema/tables/index.ts";
import type { ExecutionRow, NodeRunRow } from "../../schema/tables/index.ts";
import type { Database } from "./database.ts";

/** An execution at one moment, and those of its node runs that are of interest. */
export interface ExecutionChanges {
  row: ExecutionRow;
  runs: { run: NodeRunRow; output: JsonValue | null }[];
  /** The jobs that have not ended, and the dispatchers that hold them. */
  openJobs: { id: string; poolObject: string }[];
}

/**
 * What changed since a revision, read as one: the row's revision has all its node runs, and none of a later one. With
 * `withOpen`, also those whose job is under way: its stages change without a revision. Null when there is none.
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

/** Longer ones are left out: a list shows how an execution began, not all that began it. */
const TRIGGER_MAX_CHARS = 4_096;

/** An execution in a list; the trigger is null when it is long. */
export type ListedExecution = Omit<ExecutionRow, "trigger"> & { trigger: ExecutionTrigger | null };

/** A step of some execution. `seq` is its row's number: rows are numbered in the order in which steps are committed. */
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
 * The steps behind `after`, in their order, at most `limit`, each execution once, at its last of these steps and as it
 * is now; and how far that goes. `latest` is the number of the last step that there is.
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
