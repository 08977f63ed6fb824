import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readMigrationFiles } from "drizzle-orm/migrator";
import { endInFlight } from "../../scripts/service/end-in-flight.ts";

test("a restore ends what had not begun, so that nothing waits for it or joins it", async () => {
  const directory = await mkdtemp(join(tmpdir(), "bellhop-restore-"));
  try {
    const file = join(directory, "bellhop.db");
    const database = new Database(file);
    for (const { sql } of readMigrationFiles({ migrationsFolder: `${import.meta.dir}/../../schema/migrations` })) {
      for (const statement of sql) database.run(statement);
    }
    const holds = [
      { code: "collecting", since: 1, until: 2, key: "checkout" },
      { code: "maintenance", since: 1, window: { id: "mw_1", name: "Storage", revision: 1 } },
      { code: "concurrency", since: 1 },
    ];
    for (const [index, hold] of holds.entries()) {
      database.run(
        `INSERT INTO executions (id, workflow_id, version_id, status, "trigger", trigger_key, revision, started_at, hold)
          VALUES (?, 'wf_1', 'wfv_1', 'running', '{"type":"manual"}', ?, 1, 1, ?)`,
        [`exe_${index}`, `key_${index}`, JSON.stringify(hold)],
      );
    }
    database.run("INSERT INTO unreported_failures (execution_id) VALUES ('exe_0')");
    database.run("INSERT INTO trace_queue (execution_id) VALUES ('exe_0')");
    expect(endInFlight(file, { startedAt: "2026-11-29T00:00:00.000Z" }, 3)).toEqual({ executions: 3, jobs: 0 });
    const left = database.query("SELECT status, hold FROM executions").all();
    expect(left).toEqual(holds.map(() => ({ status: "failed", hold: null })));
    for (const table of ["unreported_failures", "trace_queue"]) {
      expect(database.query(`SELECT * FROM ${table}`).all()).toEqual([]);
      database.run(`DROP TABLE ${table}`);
    }
    expect(endInFlight(file, { startedAt: "2026-11-29T00:00:00.000Z" }, 4)).toEqual({ executions: 0, jobs: 0 });
    database.close();
  } finally {
    await rm(directory, { recursive: true });
  }
});
