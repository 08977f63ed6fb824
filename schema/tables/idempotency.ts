import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { JsonValue } from "../contract/json.ts";
import { json, timeMs } from "./columns.ts";

/** What was asked for under an `Idempotency-Key`, and how it was answered; null while it is under way. */
export const idempotencyKeys = sqliteTable(
  "idempotency_keys",
  {
    actor: text("actor").notNull(),
    key: text("key").notNull(),
    operation: text("operation").notNull(),
    /** SHA-256 of path and body: the same key for something else is refused. */
    requestDigest: text("request_digest").notNull(),
    status: integer("status"),
    /** Never of an operation whose answer shows a secret. */
    answer: json<JsonValue>("answer"),
    createdAt: timeMs("created_at").notNull(),
  },
  (table) => [primaryKey({ columns: [table.actor, table.key] }), index("idempotency_keys_by_time").on(table.createdAt)],
);
