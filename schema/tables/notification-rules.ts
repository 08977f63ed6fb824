import { sql } from "drizzle-orm";
import { integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import type { NotificationRuleInput } from "../contract/notification-rule.ts";
import { json, timeMs } from "./columns.ts";

export const notificationRules = sqliteTable(
  "notification_rules",
  {
    id: text("id").primaryKey(),
    rule: json<NotificationRuleInput>("rule").notNull(),
    /** Events from before this time are not reported: the rule did not exist, was off, or was about other events. */
    since: timeMs("since").notNull(),
    revision: integer("revision").notNull().default(1),
    createdAt: timeMs("created_at").notNull(),
    updatedAt: timeMs("updated_at").notNull(),
  },
  () => [uniqueIndex("notification_rules_by_name").on(sql`("rule" ->> '$.name')`)],
);
export type NotificationRuleRow = typeof notificationRules.$inferSelect;
