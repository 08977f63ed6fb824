import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { timeMs } from "./columns.ts";

/** Executions that have ended and whose spans are still to be sent, in the order of their row numbers. */
export const traceQueue = sqliteTable("trace_queue", {
  executionId: text("execution_id").primaryKey(),
});

/** One row, once spans were sent: when a pass may send again, and the failures since the last success. */
export const traceProgress = sqliteTable("trace_progress", {
  id: integer("id").primaryKey(),
  /** Taken by a pass until this time, or left alone until then after a failure. */
  notBefore: timeMs("not_before").notNull(),
  failures: integer("failures").notNull().default(0),
  failingSince: timeMs("failing_since"),
  error: text("error"),
});
export type TraceProgressRow = typeof traceProgress.$inferSelect;
