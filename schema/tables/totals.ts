import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

/**
 * Counters since the deployment began, for `/metrics`: they only rise, even when retention deletes the counted rows.
 * Each is incremented in the batch that records its event, so that the two always agree. The names are in
 * `store/totals.ts`.
 */
export const totals = sqliteTable("totals", {
  name: text("name").primaryKey(),
  value: integer("value", { mode: "number" }).notNull(),
});
