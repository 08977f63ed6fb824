import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { ExportedKind, Former, RetainedKind, RetentionPeriods } from "../contract/retention.ts";
import { json, timeMs } from "./columns.ts";

/** One row, once an administrator has chosen periods: see `worker/domain/retention.ts`. */
export const retentionSettings = sqliteTable("retention_settings", {
  id: integer("id").primaryKey(),
  periods: json<RetentionPeriods>("periods").notNull(),
  /** The longer periods that still apply; null when no shorter one was ever chosen. */
  former: json<Former<RetentionPeriods>>("former"),
  revision: integer("revision").notNull(),
});

/** One row: how far deletion is (docs/design/retention.md). */
export const retentionProgress = sqliteTable("retention_progress", {
  id: integer("id").primaryKey(),
  /** Event rows up to this row number have been looked at. */
  eventsUpTo: integer("events_up_to").notNull().default(0),
  /** The last pass that deleted something: its start, its duration and its rows. */
  passAt: timeMs("pass_at"),
  passMs: integer("pass_ms"),
  passRows: integer("pass_rows"),
  /** When the audit log was last given the counts. */
  auditedAt: timeMs("audited_at"),
});

/** One row for each kind of record: how many were deleted, and an estimate of how many there are. */
export const retentionKinds = sqliteTable("retention_kinds", {
  kind: text("kind").$type<RetainedKind>().primaryKey(),
  /** Since the deployment began: each deletion is counted in its own batch. */
  deleted: integer("deleted").notNull().default(0),
  /** The part of `deleted` that the audit log has. */
  audited: integer("audited").notNull().default(0),
  /** The last count of the rows, with the highest row number and `deleted` at that time. */
  countedAt: timeMs("counted_at"),
  counted: integer("counted").notNull().default(0),
  countedUpTo: integer("counted_up_to").notNull().default(0),
  countedDeleted: integer("counted_deleted").notNull().default(0),
  bytesPerRow: integer("bytes_per_row").notNull().default(0),
  /** New rows a day between the last two counts; null before the second. */
  newPerDay: integer("new_per_day"),
});
export type RetentionKindRow = typeof retentionKinds.$inferSelect;

/** One row for each kind of record that is exported before its deletion: how far the export is. */
export const retentionExports = sqliteTable("retention_exports", {
  kind: text("kind").$type<ExportedKind>().primaryKey(),
  /** The ids that are being exported, until they are deleted: after a crash the same ones are exported again. */
  portion: text("portion"),
  /** Exported since the deployment began. */
  rows: integer("rows").notNull().default(0),
  bytes: integer("bytes").notNull().default(0),
  exportedAt: timeMs("exported_at"),
  /** Failures since the last success: their number, the first, the last and its reason. */
  failures: integer("failures").notNull().default(0),
  failingSince: timeMs("failing_since"),
  failedAt: timeMs("failed_at"),
  error: text("error"),
});
export type RetentionExportRow = typeof retentionExports.$inferSelect;

/**
 * Executions that were deleted and whose node runs, outputs, jobs and events are still to be deleted. An execution
 * leaves its own table at once, so no reader meets a part of it.
 */
export const removedExecutions = sqliteTable(
  "removed_executions",
  { id: text("id").primaryKey(), removedAt: timeMs("removed_at").notNull() },
  (table) => [index("removed_executions_by_time").on(table.removedAt)],
);
