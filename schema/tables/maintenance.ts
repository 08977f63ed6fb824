import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { MaintenanceMode } from "../contract/maintenance.ts";
import { flag, json, timeMs } from "./columns.ts";

export const maintenanceWindows = sqliteTable(
  "maintenance_windows",
  {
    id: text("id").primaryKey(),
    name: text("name").notNull(),
    reason: text("reason"),
    startsAt: timeMs("starts_at").notNull(),
    endsAt: timeMs("ends_at").notNull(),
    mode: text("mode").$type<MaintenanceMode>().notNull(),
    everything: flag("everything").notNull(),
    workflowIds: json<string[]>("workflow_ids").notNull(),
    tags: json<string[]>("tags").notNull(),
    services: json<string[]>("services").notNull(),
    revision: integer("revision").notNull().default(1),
    createdAt: timeMs("created_at").notNull(),
    updatedAt: timeMs("updated_at").notNull(),
  },
  (table) => [index("maintenance_windows_by_end").on(table.endsAt)],
);
export type MaintenanceWindowRow = typeof maintenanceWindows.$inferSelect;
