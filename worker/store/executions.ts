import { and, asc, eq, gt, lt, sql } from "drizzle-orm";
import type { SQL } from "drizzle-orm";
import { executionEvents, executions, jobs, nodeRunOutputs, nodeRuns } from "../../schema/tables/index.ts";
import type { JsonValue } from "../../schema/contract/json.ts";
import type { ExecutionState } from "../domain/execution-state.ts";
import { insertAudit } from "./audit.ts";
import { addToBatch, closeBatch } from "./batched-events.ts";
import { writeBatch } from "./database.ts";
import type { Database, Statement } from "./database.ts";
import { alreadyCommitted, mayHaveCommitted } from "./errors.ts";
import type { ExecutionMeta } from "./execution-rows.ts";
import { toMeta, toNodeRun, toState } from "./execution-rows.ts";
import { insertRows, updateRow } from "./fixed-statements.ts";
import { jobEnd, jobRow, rerouteJob } from "./jobs.ts";
import { insertOverLimit } from "./limit-uses.ts";
import { chunks, nodeRunStatements } from "./node-run-writes.ts";
import { outcomeStatements } from "./outcomes.ts";
import { addOverflow, ifChanged, insertMissedRuns, moveSchedule } from "./schedule.ts";
import { isWithinOneRead, outputsOf } from "./node-run-outputs.ts";
import { recordFailure } from "./unreported-failures.ts";
import { countedOf, hasJustEnded, isOverflow } from "./step-record.ts";
import type { StepRecord } from "./step-record.ts";
import { addTotals } from "./totals.ts";
import { queueTrace } from "./traces.ts";

export interface StoredExecution {
  state: ExecutionState;
  meta: ExecutionMeta;
}

/**
 * Writes one step as one batch. The batch begins with the step's own row, whose primary key makes a repeated batch fail
 * as a whole (docs/design/dispatch.md#runs); `isConflict` recognises that failure.
 */
export async function saveStep(db: Database, record: StepRecord): Promise<void> {
  const { before, after, meta, schedule } = record;
  const statements: Statement[] = [
    ...(schedule === undefined ? [] : [moveSchedule(db, { ...after, dueAt: schedule.dueAt }, schedule.nextRunAt)]),
    insertEvent(db, record),
    before === null
      ? insertRows(executions, [
          {
            id: after.id,
            workflowId: after.workflowId,
            versionId: after.versionId,
            trigger: after.trigger,
            triggerKey: meta.triggerKey,
            webhookKey: meta.webhookKey,
            parentExecutionId: meta.parent?.executionId ?? null,
            parentWorkflowId: meta.parent?.workflowId ?? null,
            parentNodeRunId: meta.parent?.nodeRunId ?? null,
            rootExecutionId: meta.parent?.rootId,
            retryOf: meta.retryOf,
            startedBy: [...meta.startedBy],
            depth: after.depth,
            startedAt: after.startedAt,
            begunAt: after.begunAt,
            approved: after.approved,
            concurrencyKey: after.concurrencyKey ?? undefined,
            ...changingColumns(after, before),
          },
        ])
      : updateRow(executions, "id", {
          id: after.id,
          ...changingColumns(after, before),
          ...(after.begunAt === before.begunAt ? {} : { begunAt: after.begunAt }),
          ...(after.approved === before.approved ? {} : { approved: after.approved }),
          ...(after.trigger === before.trigger ? {} : { trigger: after.trigger }),
          ...(after.concurrencyKey === before.concurrencyKey ? {} : { concurrencyKey: after.concurrencyKey }),
          ...(record.startedBy === undefined ? {} : { startedBy: [...record.startedBy] }),
        }),
    ...batchStatements(db, record),
    ...nodeRunStatements(db, record),
    ...jobStatements(db, record),
    ...(isOverflow(record) ? addOverflow(db, after.workflowId, record.at) : []),
    ...(schedule?.missed == null ? [] : [insertMissedRuns(db, after.workflowId, schedule.missed, schedule.recordedAt)]),
    ...(record.overLimit === undefined || record.overLimit.length === 0
      ? []
      : [insertOverLimit(record.overLimit, record.at)]),
    ...(record.audit === undefined ? [] : [insertAudit(db, record.audit)]),
    // Only once: an ended execution may take another step, to publish effects for its sub-workflows again.
    ...(hasJustEnded(record) ? [...outcomeStatements(db, after, meta.retryOf), ...recordFailure(db, after)] : []),
    ...(hasJustEnded(record) && record.isTraced === true ? [queueTrace(after.id)] : []),
    ...addTotals(countedOf(record)),
  ];
  await writeOnce(db, record, statements);
}

function batchStatements(db: Database, { before, after, collects, collected }: StepRecord): Statement[] {
  const batch = { executionId: after.id, workflowId: after.workflowId };
  const closes = before?.hold?.code === "collecting" && after.hold?.code !== "collecting";
  return [
    ...(collects === undefined ? [] : [addToBatch({ ...batch, from: 0 }, collects)]),
    ...(closes ? closeBatch(db, batch, collected ?? null) : []),
  ];
}

function insertEvent(db: Database, { before, after, meta, schedule, eventType, at }: StepRecord): Statement {
  const event = { executionId: after.id, type: eventType, at };
  if (before === null && meta.retryOf !== null) {
    // A retry keeps what its original has done: if that was deleted since it was read, the whole batch fails.
    const original = sql`select 1 from ${executions} where ${executions.id} = ${meta.retryOf}`;
    const revision = sql<number>`case when exists (${original}) then ${after.revision} end`;
    return db.insert(executionEvents).values({ ...event, revision });
  }
  if (schedule === undefined) return insertRows(executionEvents, [{ ...event, revision: after.revision }]);
  return db.insert(executionEvents).values({ ...event, revision: ifChanged(after.revision) });
}

const TRIES_MAX = 3;

/**
 * After a lost answer the step's own row says whether the batch was committed. If so, this fails like a repeated batch,
 * and the caller reads the execution again. If not, the batch may be sent again: should the first one be committed
 * later, the second fails.
 */
async function writeOnce(db: Database, { after }: StepRecord, statements: Statement[]): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      await writeBatch(db, statements);
      return;
    } catch (error) {
      if (!mayHaveCommitted(error) || tries === TRIES_MAX) throw error;
      if (await hasEvent(db, after)) throw alreadyCommitted(error);
    }
  }
}

async function hasEvent(db: Database, { id, revision }: ExecutionState): Promise<boolean> {
  const found = await db
    .select({ revision: executionEvents.revision })
    .from(executionEvents)
    .where(and(eq(executionEvents.executionId, id), eq(executionEvents.revision, revision)))
    .get();
  return found !== undefined;
}

/** The execution as last committed; null for an unknown id. */
export async function loadExecution(db: Database, executionId: string): Promise<StoredExecution | null> {
  return loadWhere(db, eq(executions.id, executionId));
}

/** The execution that an event started. An event starts at most one. */
export async function findByTriggerKey(
  db: Database,
  workflowId: string,
  triggerKey: string,
): Promise<StoredExecution | null> {
  return loadWhere(db, and(eq(executions.workflowId, workflowId), eq(executions.triggerKey, triggerKey)));
}

export interface ExecutionRef {
  executionId: string;
  workflowId: string;
}

/** With its place in the order of the times. */
export interface DueExecution extends ExecutionRef {
  wakeAt: number;
  rowid: number;
}

/** Executions that have been due since before a time, the earliest first, from those after `last`. */
export function dueExecutions(
  db: Database,
  { before, last, limit }: { before: number; last: DueExecution | null; limit: number },
): Promise<DueExecution[]> {
  const { id, workflowId, wakeAt } = executions;
  const rowid = sql<number>`${executions}.rowid`;
  return db
    .select({ executionId: id, workflowId, wakeAt: sql<number>`${wakeAt}`, rowid })
    .from(executions)
    .where(
      and(lt(wakeAt, before), last === null ? undefined : sql`(${wakeAt}, ${rowid}) > (${last.wakeAt}, ${last.rowid})`),
    )
    .orderBy(asc(wakeAt), asc(rowid))
    .limit(limit);
}

/** Running executions with ids between these, oldest first. With ids below `beforeId` they began before its time. */
export function runningBetween(
  db: Database,
  { afterId, beforeId, limit }: { afterId: string; beforeId: string; limit: number },
): Promise<ExecutionRef[]> {
  const { id, workflowId, status } = executions;
  return db
    .select({ executionId: id, workflowId })
    .from(executions)
    .where(and(eq(status, "running"), gt(id, afterId), lt(id, beforeId)))
    .orderBy(asc(id))
    .limit(limit);
}

async function loadWhere(db: Database, condition: SQL | undefined): Promise<StoredExecution | null> {
  const row = await db.select().from(executions).where(condition).get();
  if (row === undefined) return null;
  const isWithin = isWithinOneRead(sql`${nodeRuns}.rowid`);
  const runs = await db
    .select({
      run: nodeRuns,
      output: sql<JsonValue>`case when ${isWithin} then ${nodeRunOutputs.output} end`.mapWith(nodeRunOutputs.output),
      isLeftOut: sql<number>`${nodeRunOutputs.output} is not null and not ${isWithin}`,
    })
    .from(nodeRuns)
    .leftJoin(nodeRunOutputs, eq(nodeRunOutputs.nodeRunId, nodeRuns.id))
    .where(eq(nodeRuns.executionId, row.id))
    .orderBy(sql`${nodeRuns}.rowid`);
  const others = await outputsOf(
    db,
    runs.filter(({ isLeftOut }) => isLeftOut === 1).map(({ run }) => run.id),
  );
  return {
    state: toState(
      row,
      runs.map(({ run, output }) => toNodeRun(run, others.get(run.id) ?? output)),
    ),
    meta: toMeta(row),
  };
}

/** Those that few executions have are written only when they change, so that the others do not pay for them. */
function changingColumns(state: ExecutionState, before: ExecutionState | null) {
  return {
    ...(state.hold === (before?.hold ?? null) ? {} : { hold: state.hold }),
    ...(state.limits === (before?.limits ?? null) ? {} : { limits: state.limits }),
    ...(state.suppressed === (before?.suppressed ?? null) ? {} : { suppressed: state.suppressed }),
    ...(state.supersededBy === (before?.supersededBy ?? null) ? {} : { supersededBy: state.supersededBy }),
    status: state.status,
    revision: state.revision,
    error: state.error,
    finishedAt: state.finishedAt,
    wakeAt: state.wakeAt,
  };
}

function jobStatements(db: Database, { orders, endedJob, reroutedJob, cancelledJobIds }: StepRecord): Statement[] {
  const statements: Statement[] = [];
  for (const rows of chunks(orders, 50)) {
    statements.push(insertRows(jobs, rows.map(jobRow)));
  }
  if (endedJob !== null) {
    statements.push(updateRow(jobs, "id", { id: endedJob.jobId, status: endedJob.status, ...jobEnd(endedJob) }));
  }
  if (reroutedJob?.reroute !== undefined) statements.push(rerouteJob(db, reroutedJob, reroutedJob.reroute));
  for (const jobId of cancelledJobIds) {
    // Not confirmed until the sweep has seen that the dispatcher knows.
    statements.push(db.update(jobs).set({ status: "cancelled", confirmedAt: null }).where(eq(jobs.id, jobId)));
  }
  return statements;
}
