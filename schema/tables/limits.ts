import { flag, timeMs } from "./columns.ts";
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import type { WhenReached } from "../contract/limit-group.ts";

export const limitGroups = sqliteTable(
  "limit_groups",
  {
    id: text("id").primaryKey(),
    name: text("name").notNull(),
    maxRuns: integer("max_runs").notNull(),
    periodSeconds: integer("period_seconds").notNull(),
    whenReached: text("when_reached").$type<WhenReached>().notNull(),
    revision: integer("revision").notNull().default(1),
    createdAt: timeMs("created_at").notNull(),
    updatedAt: timeMs("updated_at").notNull(),
  },
  (table) => [uniqueIndex("limit_groups_by_name").on(table.name)],
);
export type LimitGroupRow = typeof limitGroups.$inferSelect;

/** One row for each run, group and key. It outlives its execution: deleting a workflow frees no limit. */
export const limitUses = sqliteTable(
  "limit_uses",
  {
    groupId: text("group_id").notNull(),
    key: text("key").notNull(),
    executionId: text("execution_id").notNull(),
    at: timeMs("at").notNull(),
    /** A person approved it beyond the limit. */
    isOverLimit: flag("is_over_limit").notNull().default(false),
  },
  (table) => [
    primaryKey({ columns: [table.groupId, table.key, table.executionId] }),
    index("limit_uses_of_key").on(table.groupId, table.key, table.at),
    index("limit_uses_of_group").on(table.groupId, table.at),
    index("limit_uses_by_time").on(table.at),
  ],
);
export type LimitUseRow = typeof limitUses.$inferSelect;
