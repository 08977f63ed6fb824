import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { timeMs } from "./columns.ts";

/** Executions that have ended and whose spans are still to be sent, in the order of their row numbers. */
export const traceQueue = sqliteTable("trace_queue", {
  executionId: text("execution_id").primaryKey(),
  /** How many of its spans the receiver has: above 0 between the requests of a large execution. */
  sent: integer("sent").notNull().default(0),
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
export type TraceQueueRow = typeof traceQueue.$inferSelect;
export type TraceProgressRow = typeof traceProgress.$inferSelect;
