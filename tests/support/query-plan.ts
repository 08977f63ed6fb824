import { Database as Sqlite } from "bun:sqlite";
import { expect } from "bun:test";
import { readMigrationFiles } from "drizzle-orm/migrator";
import { openDatabase } from "../../worker/store/database.ts";
import type { Database } from "../../worker/store/database.ts";

const sqlite = new Sqlite(":memory:");
for (const { sql } of readMigrationFiles({ migrationsFolder: `${import.meta.dir}/../../schema/migrations` })) {
  for (const statement of sql) sqlite.run(statement);
}

/** Notes the statements and refuses them. In this process, so that each is noted before the first is refused. */
let sent: string[] = [];
const noted = {
  fetch: (_: unknown, { body }: { body: string }) => {
    JSON.parse(body, (key, value: unknown) => {
      if (key === "sql" && typeof value === "string") sent.push(value);
      return value;
    });
    return Promise.resolve(new Response("", { status: 400 }));
  },
} as unknown as NonNullable<Parameters<typeof openDatabase>[0]["through"]>;
const db = openDatabase({ url: "http://statements.test", through: noted });

/** The steps of the plans of a query's statements, by the newest schema. */
export async function planOf(query: (database: Database) => PromiseLike<unknown>): Promise<string[]> {
  sent = [];
  await Promise.allSettled([query(db)]);
  const statements = sent.filter((sql) => /^(?:select|with|update)/iu.test(sql));
  expect(statements).not.toEqual([]);
  return statements.flatMap((sql) =>
    sqlite
      .query<{ detail: string }, null[]>(`EXPLAIN QUERY PLAN ${sql}`)
      .all(...Array.from({ length: sql.split("?").length - 1 }, () => null))
      .map(({ detail }) => detail),
  );
}
