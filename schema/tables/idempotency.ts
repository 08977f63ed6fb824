import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { JsonValue } from "../contract/json.ts";
import { json, timeMs } from "./columns.ts";

/** Requests with an `Idempotency-Key`, and their answers; null while a request is in progress. */
export const idempotencyKeys = sqliteTable(
  "idempotency_keys",
  {
    actor: text("actor").notNull(),
    key: text("key").notNull(),
    operation: text("operation").notNull(),
    /** SHA-256 of path and body: the same key for another request is refused. */
    requestDigest: text("request_digest").notNull(),
    status: integer("status"),
    /** Never stored for an operation whose answer shows a secret. */
    answer: json<JsonValue>("answer"),
    createdAt: timeMs("created_at").notNull(),
  },
  (table) => [primaryKey({ columns: [table.actor, table.key] }), index("idempotency_keys_by_time").on(table.createdAt)],
);
