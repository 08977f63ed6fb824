import { integer, text } from "drizzle-orm/sqlite-core";

/** Epoch milliseconds. The API turns them into ISO 8601. */
export const timeMs = (name: string) => integer(name, { mode: "number" });
export const flag = (name: string) => integer(name, { mode: "boolean" });
export const json = <T>(name: string) => text(name, { mode: "json" }).$type<T>();
