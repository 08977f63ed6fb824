import { index, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { JsonObject } from "../contract/json.ts";
import { json, timeMs } from "./columns.ts";

/**
 * Every write of a person or a token (docs/design/people.md#audit-log). `detail` holds names and ids, never a secret.
 */
export const auditLog = sqliteTable(
  "audit_log",
  {
    id: text("id").primaryKey(),
    at: timeMs("at").notNull(),
    actor: text("actor").notNull(),
    verb: text("verb").notNull(),
    subjectType: text("subject_type").notNull(),
    subjectId: text("subject_id").notNull(),
    detail: json<JsonObject>("detail").notNull(),
  },
  (table) => [
    index("audit_log_by_subject").on(table.subjectType, table.subjectId, table.id),
    index("audit_log_by_actor").on(table.actor, table.id),
  ],
);
