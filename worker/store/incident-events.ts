import { and, asc, eq, gt, inArray, isNull, ne, or, sql } from "drizzle-orm";
import { batchedEvents, executions, incidentEvents, workflows } from "../../schema/tables/index.ts";
import type { ExecutionRow, IncidentEventRow } from "../../schema/tables/index.ts";
import type { Database, Statement } from "./database.ts";

export type { IncidentEventRow };

export function insertIncidentEvent(db: Database, row: IncidentEventRow): Statement {
  return db.insert(incidentEvents).values(row);
}

/** Oldest first: ids rise with time. */
export function findIncidentEvents(db: Database, incidentId: string, limit: number): Promise<IncidentEventRow[]> {
  return db
    .select()
    .from(incidentEvents)
    .where(eq(incidentEvents.incidentId, incidentId))
    .orderBy(asc(incidentEvents.id))
    .limit(limit);
}

/** Events whose workflows may not all have started, oldest first, from those after `after`. */
export function unmatchedEvents(
  db: Database,
  after: Pick<IncidentEventRow, "at" | "id"> | null,
  limit: number,
): Promise<IncidentEventRow[]> {
  const behind =
    after === null
      ? undefined
      : or(gt(incidentEvents.at, after.at), and(eq(incidentEvents.at, after.at), gt(incidentEvents.id, after.id)));
  return db
    .select()
    .from(incidentEvents)
    .where(and(isNull(incidentEvents.matchedAt), behind))
    .orderBy(asc(incidentEvents.at), asc(incidentEvents.id))
    .limit(limit);
}

export async function markMatched(db: Database, ids: readonly string[], now: number): Promise<void> {
  await db
    .update(incidentEvents)
    .set({ matchedAt: now })
    .where(inArray(incidentEvents.id, [...ids]));
}

export type StartedExecution = Pick<ExecutionRow, "id" | "workflowId" | "status" | "startedAt" | "finishedAt"> & {
  triggerKey: string;
  workflowName: string | null;
};

/**
 * The executions that events have started or joined. An event's execution starts at the event's time, so an index on that
 * time finds it.
 */
export async function findExecutionsOfEvents(
  db: Database,
  events: readonly Pick<IncidentEventRow, "id" | "at">[],
): Promise<StartedExecution[]> {
  const columns = {
    id: executions.id,
    workflowId: executions.workflowId,
    workflowName: workflows.name,
    status: executions.status,
    startedAt: executions.startedAt,
    finishedAt: executions.finishedAt,
  };
  const ids = events.map(({ id }) => id);
  const started = db
    .select({ ...columns, triggerKey: executions.triggerKey })
    .from(executions)
    .leftJoin(workflows, eq(workflows.id, executions.workflowId))
    .where(
      and(inArray(executions.startedAt, [...new Set(events.map(({ at }) => at))]), inArray(executions.triggerKey, ids)),
    );
  // The first event of a batch is found above.
  const joined = db
    .select({ ...columns, triggerKey: sql<string>`${batchedEvents.triggerKey}` })
    .from(batchedEvents)
    .innerJoin(executions, eq(executions.id, batchedEvents.executionId))
    .leftJoin(workflows, eq(workflows.id, executions.workflowId))
    .where(and(inArray(batchedEvents.triggerKey, ids), ne(batchedEvents.triggerKey, executions.triggerKey)));
  const found = (await Promise.all([started, joined])).flat();
  return found.toSorted((one, other) => (one.id < other.id ? -1 : 1));
}
