import { eq, gt, inArray, lte, or, sql } from "drizzle-orm";
import { TRACE_PASS_MAX_MS, TRACE_QUEUE_MAX, TRACE_RETRY_MAX_MS } from "../../schema/limits.ts";
import { totals, traceProgress, traceQueue } from "../../schema/tables/index.ts";
import type { TraceProgressRow, TraceQueueRow } from "../../schema/tables/index.ts";
import { readRows, writeBatch } from "./database.ts";
import type { Database, Statement } from "./database.ts";
import { insertRows } from "./fixed-statements.ts";
import { addTotals } from "./totals.ts";
import type { TotalName } from "./totals.ts";

export type { TraceProgressRow, TraceQueueRow };

const ONE = 1;

/** For the batch that ends an execution. */
export function queueTrace(executionId: string): Statement {
  return insertRows(traceQueue, [{ executionId }]);
}

export async function findTraceProgress(db: Database): Promise<TraceProgressRow | null> {
  return (await db.select().from(traceProgress).where(eq(traceProgress.id, ONE)).get()) ?? null;
}

/** The executions that wait longest. */
export function oldestTraces(db: Database, limit: number): Promise<TraceQueueRow[]> {
  return db
    .select()
    .from(traceQueue)
    .orderBy(sql`rowid`)
    .limit(limit);
}

/** Drops what the queue cannot hold, the oldest first, and counts it. */
export async function dropOverflow(db: Database): Promise<void> {
  const [rows = []] = await readRows(db, [
    sql`select rowid as number from ${traceQueue} order by rowid desc limit 1 offset ${TRACE_QUEUE_MAX}`,
  ]);
  const upTo = rows[0]?.["number"];
  if (typeof upTo !== "number") return;
  const name: TotalName = "traces:overflowed";
  await writeBatch(db, [
    db
      .insert(totals)
      .select(sql`select ${name}, count(*) from ${traceQueue} where rowid <= ${upTo}`)
      .onConflictDoUpdate({ target: totals.name, set: { value: sql`${totals.value} + excluded.value` } }),
    db.delete(traceQueue).where(sql`rowid <= ${upTo}`),
  ]);
}

/** Lets one pass send until `until` (epoch ms). False while another one may, or after a failure before its next attempt. */
export async function claimTraces(db: Database, now: number, until: number): Promise<boolean> {
  const [claimed] = await writeBatch(db, [
    db
      .insert(traceProgress)
      .values({ id: ONE, notBefore: until })
      .onConflictDoUpdate({
        target: traceProgress.id,
        set: { notBefore: until },
        // A time that no pass can have written comes from a clock that was wrong.
        setWhere: or(
          lte(traceProgress.notBefore, now),
          gt(traceProgress.notBefore, now + TRACE_RETRY_MAX_MS + TRACE_PASS_MAX_MS),
        ),
      }),
  ]);
  return claimed?.rowsAffected === 1;
}

/** Removes executions from the queue, and notes how many spans of others were taken, with what is counted for them. */
export function settleTraces(
  db: Database,
  { ended, begun = [] }: { ended: readonly string[]; begun?: readonly { id: string; sent: number }[] },
  counts: readonly (readonly [TotalName, number])[],
): Promise<unknown> {
  return writeBatch(db, [
    db.delete(traceQueue).where(inArray(traceQueue.executionId, [...ended])),
    ...begun.map(({ id, sent }) => db.update(traceQueue).set({ sent }).where(eq(traceQueue.executionId, id))),
    ...addTotals(counts),
  ]);
}

/** Empties the queue of a deployment that no longer sends traces. */
export async function forgetTraces(db: Database): Promise<void> {
  const [oldest, progress] = await Promise.all([oldestTraces(db, 1), findTraceProgress(db)]);
  if (oldest.length === 0 && progress === null) return;
  await writeBatch(db, [db.delete(traceQueue), db.delete(traceProgress)]);
}

/** Ends a pass: the next one may begin at `notBefore`. */
export function endTracePass(db: Database, end: Omit<TraceProgressRow, "id">): Promise<unknown> {
  return writeBatch(db, [db.update(traceProgress).set(end).where(eq(traceProgress.id, ONE))]);
}
