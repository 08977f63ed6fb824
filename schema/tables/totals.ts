import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

/**
 * How often something has happened since the deployment began, for `/metrics`: it only rises, and retention, which
 * deletes the rows that were counted, leaves it alone. Each is counted in the batch that records what happened, so that
 * neither can be without the other. The names are `store/totals.ts`'s.
 */
export const totals = sqliteTable("totals", {
  name: text("name").primaryKey(),
  value: integer("value", { mode: "number" }).notNull(),
});
