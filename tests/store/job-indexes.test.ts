import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { readMigrationFiles } from "drizzle-orm/migrator";

// SQLite would otherwise read every job of that status, which are thousands when agents are behind.
test("the jobs of one execution with a status are found by an index of both", () => {
  const db = new Database(":memory:");
  for (const { sql } of readMigrationFiles({ migrationsFolder: `${import.meta.dir}/../../schema/migrations` })) {
    for (const statement of sql) db.run(statement);
  }
  const ofExecution = "jobs WHERE execution_id = ? AND status = 'queued'";
  const plan = db.query(`EXPLAIN QUERY PLAN SELECT id FROM ${ofExecution}`).all("exe_1");
  expect(plan).toMatchObject([{ detail: "SEARCH jobs USING INDEX jobs_of_execution (execution_id=? AND status=?)" }]);
});
