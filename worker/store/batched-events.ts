import { and, eq, inArray, sql } from "drizzle-orm";
import { unionAll } from "drizzle-orm/sqlite-core";
import type { JsonObject } from "../../schema/contract/json.ts";
import { batchedEvents, executions } from "../../schema/tables/index.ts";
import type { Database, Statement } from "./database.ts";
import { insertRows } from "./fixed-statements.ts";

/** An incident event that starts a run together with others. */
export interface BatchedEvent {
  triggerKey: string;
  snapshot: JsonObject;
}

/** An execution that collects events (docs/design/workflows.md#coalescing). */
export interface OpenBatch {
  executionId: string;
  events: number;
  /** Of their snapshots as JSON. */
  bytes: number;
}

/** The open window of a key. */
export async function openBatch(db: Database, workflowId: string, key: string): Promise<OpenBatch | null> {
  const { executionId, snapshot } = batchedEvents;
  const row = await db
    .select({
      executionId: executions.id,
      events: sql<number>`count(${executionId})`,
      bytes: sql<number>`coalesce(sum(octet_length(${snapshot})), 0)`,
    })
    .from(executions)
    .leftJoin(batchedEvents, eq(executionId, executions.id))
    .where(
      // As text: SQLite uses an index of expressions only where it sees them.
      sql`"hold" ->> '$.code' = 'collecting' and ${executions.status} = 'running' and ${executions.workflowId} = ${workflowId} and ("hold" ->> '$.key') = ${key}`,
    )
    .groupBy(executions.id)
    .get();
  return row ?? null;
}

/** The executions that events have started or joined, by trigger key. */
export async function executionsOfEvents(
  db: Database,
  workflowId: string,
  triggerKeys: readonly string[],
): Promise<Map<string | null, string>> {
  const keys = [...triggerKeys];
  const joined = db
    .select({ executionId: batchedEvents.executionId, triggerKey: sql<string | null>`${batchedEvents.triggerKey}` })
    .from(batchedEvents)
    .where(and(inArray(batchedEvents.triggerKey, keys), eq(batchedEvents.workflowId, workflowId)));
  const started = db
    .select({ executionId: executions.id, triggerKey: sql<string | null>`${executions.triggerKey}` })
    .from(executions)
    .where(and(inArray(executions.triggerKey, keys), eq(executions.workflowId, workflowId)));
  const rows = await unionAll(started, joined);
  return new Map(rows.map((row) => [row.triggerKey, row.executionId]));
}

/** Fails as a conflict when the batch has changed since it was read: `from` is the number of its events. */
export function addToBatch(
  batch: { executionId: string; workflowId: string; from: number },
  events: readonly BatchedEvent[],
): Statement {
  const { executionId, workflowId, from } = batch;
  return insertRows(
    batchedEvents,
    events.map((event, index) => ({ executionId, workflowId, position: from + index, ...event })),
  );
}

/** Oldest first, by the ids of the events: one that was matched late joined behind newer ones. */
export async function eventsOf(db: Database, executionId: string): Promise<JsonObject[]> {
  const rows = await db
    .select({ snapshot: batchedEvents.snapshot })
    .from(batchedEvents)
    .where(eq(batchedEvents.executionId, executionId))
    .orderBy(batchedEvents.triggerKey);
  return rows.flatMap(({ snapshot }) => (snapshot === null ? [] : [snapshot]));
}

/**
 * Ends a batch. With the number of its events that the execution begins with, this fails as a conflict when another has
 * joined since; null for an execution that ends without them.
 */
export function closeBatch(
  db: Database,
  { executionId, workflowId }: { executionId: string; workflowId: string },
  events: number | null,
): Statement[] {
  const position =
    events ?? sql`(select count(*) from ${batchedEvents} where ${batchedEvents.executionId} = ${executionId})`;
  return [
    db.insert(batchedEvents).values({ executionId, workflowId, position }),
    db.update(batchedEvents).set({ snapshot: null }).where(eq(batchedEvents.executionId, executionId)),
  ];
}
