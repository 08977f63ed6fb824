import { afterAll, beforeAll, expect } from "bun:test";
import { Database } from "bun:sqlite";
import { join } from "node:path";
import { connectionMatrix } from "../support/connection-matrix.ts";
import { type QueryJob, queryJob, sqliteJob } from "../support/database-jobs.ts";
import { eventually } from "../support/eventually.ts";
import { temporaryState } from "../support/executor-context.ts";
import { freePort } from "../support/free-port.ts";
import { mariadbMissing, MariadbServer } from "../support/mariadb.ts";
import { postgresMissing, PostgresServer } from "../support/postgres.ts";
import { beginJob, type JobToRun, runJob, runUntilTimeOut } from "../support/run-job.ts";
import { ENDLESS_QUERY, SLOW_QUERY, TdsServer } from "../support/tds-server.ts";

const missing = postgresMissing ?? mariadbMissing;
let postgres: PostgresServer;
let mariadb: MariadbServer;
let sqlserver: TdsServer;
let directory: { path: string; remove: () => Promise<void> };
let file: string;

beforeAll(async () => {
  if (missing !== null) return;
  postgres = await PostgresServer.start();
  mariadb = await MariadbServer.start();
  sqlserver = await TdsServer.start();
  directory = await temporaryState();
  file = join(directory.path, "shop.db");
  using database = new Database(file, { create: true });
  database.run("CREATE TABLE thing (id INTEGER)");
});
afterAll(async () => {
  if (missing !== null) return;
  await Promise.all([postgres?.stop(), mariadb?.stop(), sqlserver?.stop(), directory?.remove()]);
  expect(sqlserver.violations).toEqual([]);
});

/** PostgreSQL, MariaDB, a stand-in for SQL Server, and a SQLite file, each with statements in its own dialect. */
function drivers() {
  const endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)";
  return [
    {
      job: (job: QueryJob) => queryJob("postgres", postgres, job),
      slow: "SELECT pg_sleep(60)",
      many: "SELECT n AS i FROM generate_series(1, 10000000) n",
      isRunning: async () => (await postgres.running("pg_sleep(60)")) > 0,
    },
    {
      job: (job: QueryJob) => queryJob("mysql", mariadb, job),
      slow: "SELECT SLEEP(60)",
      many: "SELECT seq AS i FROM seq_1_to_10000000",
      isRunning: async () => (await mariadb.running("SLEEP(60)")) > 0,
    },
    {
      job: (job: QueryJob) => queryJob("sqlserver", sqlserver, job),
      slow: SLOW_QUERY,
      many: ENDLESS_QUERY,
      isRunning: () => sqlserver.journal.served.some(({ ended }) => ended === "running"),
    },
    {
      job: (job: QueryJob) => sqliteJob(file, job),
      slow: `INSERT INTO thing ${endless} SELECT i FROM n`,
      many: `${endless} SELECT i FROM n`,
      isRunning: () => isLocked(file),
    },
  ];
}

const servers = () => drivers().slice(0, 3);

connectionMatrix("database", {
  action: {
    skip: missing,
    run: async () => {
      for (const { job } of drivers()) {
        const result = await runJob(job({ query: "SELECT :bellhop_value_1 AS answer", values: ["42"] }));
        expect(result).toMatchObject({ status: "succeeded", output: { rows: [{ answer: "42" }], rowCount: 1 } });
      }
    },
  },
  "bad credentials": {
    skip: missing,
    run: async () => {
      for (const { job } of servers()) {
        const secrets = { username: "waiter", password: "not this one" };
        const result = await runJob(job({ query: "SELECT 1", secrets }));
        expect(result).toMatchObject({ status: "failed", error: { code: "authentication_failed" } });
        expect(JSON.stringify(result)).not.toContain(secrets.password);
      }
    },
  },
  unreachable: {
    skip: missing,
    run: async () => {
      for (const { job } of servers()) {
        const result = await runJob(job({ query: "SELECT 1", config: { port: await freePort() } }));
        expect(result).toMatchObject({ status: "failed", error: { code: "unreachable" } });
        expect(result.error?.message).toContain("refused the connection");
      }
      const result = await runJob(sqliteJob(`${file}.missing`, { query: "SELECT 1" }));
      expect(result).toMatchObject({ status: "failed", error: { code: "unreachable" } });
    },
  },
  "time-out": {
    skip: missing,
    run: async () => {
      for (const { job, slow, isRunning } of drivers()) {
        const result = await runUntilTimeOut(job({ query: slow }), "the statement to run", isRunning);
        expect(await isRunning()).toBe(false);
        expect(result).toMatchObject({ status: "timed_out", error: { code: "timed_out" } });
      }
    },
  },
  cancel: {
    skip: missing,
    run: async () => {
      for (const { job, slow, isRunning } of drivers()) {
        const begun = await beginJob(job({ query: slow }));
        await eventually("the statement to run", isRunning);
        begun.cancel();
        const result = await begun.result;
        expect(await isRunning()).toBe(false);
        expect(result).toMatchObject({ status: "cancelled", error: { code: "cancelled" } });
      }
    },
  },
  "oversize output": {
    skip: missing,
    run: async () => {
      for (const { job, many } of drivers()) {
        const result = await runJob(job({ query: many, maxRows: 100_000, readOnly: true }));
        expect(result).toMatchObject({ status: "succeeded", output: { truncated: true } });
        expect(Buffer.byteLength(JSON.stringify(result.output))).toBeLessThan(524_288);
      }
    },
  },
  "connection test": {
    skip: missing,
    run: async () => {
      const tests: unknown[] = [];
      const versions = ["PostgreSQL", "MariaDB", "Microsoft SQL Server", "SQLite"];
      for (const [index, { job }] of drivers().entries()) {
        const check: JobToRun = { ...job({ query: "SELECT 1" }), action: null, params: {} };
        const result = await runJob(check);
        expect(result).toMatchObject({ status: "succeeded", output: { ok: true } });
        expect(JSON.stringify(result.output?.["checks"])).toContain(versions[index] ?? "");
        tests.push(result.output?.["checks"]);
      }
      return tests;
    },
  },
});

function isLocked(path: string): boolean {
  using database = new Database(path);
  try {
    database.run("BEGIN IMMEDIATE");
    database.run("ROLLBACK");
    return false;
  } catch {
    return true;
  }
}
