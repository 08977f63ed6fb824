import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { Database } from "bun:sqlite";
import { existsSync, readFileSync } from "node:fs";
import { chmod, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { JobResult } from "../../schema/contract/agent.ts";
import { type QueryJob, sqliteJob } from "../support/database-jobs.ts";
import { selfSigned } from "../support/certificate.ts";
import { eventually } from "../support/eventually.ts";
import { runTest, temporaryState } from "../support/executor-context.ts";
import { HOSTILE_VALUES } from "../support/hostile-values.ts";
import { statementFailure } from "../../agent/executors/database/sqlite/failures.ts";
import { onAnyCommandLine } from "../support/processes.ts";
import { beginJob, runJob, runUntilTimeOut } from "../support/run-job.ts";
import { TrustingAgent } from "../support/trusting-agent.ts";

const ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)";
/** Never ends, and writes more than SQLite's cache can hold. */
const SPILLING = `UPDATE thing SET name = CASE WHEN id < 9000 THEN 'late' || name ELSE (SELECT count(*) FROM (${ENDLESS} SELECT i FROM n)) END`;

describe("a statement on a SQLite file", () => {
  let directory: { path: string; remove: () => Promise<void> };
  let file: string;
  beforeEach(async () => {
    directory = await temporaryState();
    file = join(directory.path, "shop.db");
    inFile("CREATE TABLE thing (id INTEGER PRIMARY KEY, name TEXT)", "INSERT INTO thing VALUES (1, 'one')");
  });
  afterEach(() => directory.remove());

  const run = (job: QueryJob, path = file): Promise<JobResult> => runJob(sqliteJob(path, job));

  /** Runs SQL on the test's own connection, and returns the number of things. */
  function inFile(...statements: string[]): number {
    using database = new Database(file, { create: true });
    for (const statement of statements) database.run(statement);
    return Number(
      Object.values(database.query<Record<string, unknown>, []>("SELECT count(*) FROM thing").get() ?? {})[0],
    );
  }

  test("returns rows, the order of the columns and the number of rows", async () => {
    expect((await run({ query: "SELECT name, id FROM thing" })).output).toEqual({
      rows: [{ name: "one", id: 1 }],
      columns: ["name", "id"],
      rowCount: 1,
    });
  });

  test("returns the number of changed rows, even with fewer rows returned", async () => {
    const insert = await run({ query: "INSERT INTO thing (id) VALUES (2), (3)" });
    expect(insert.output).toEqual({ rows: [], rowCount: 2 });
    const { output } = await run({ query: "INSERT INTO thing (id) VALUES (4), (5) RETURNING id", maxRows: 1 });
    expect(output).toMatchObject({ rows: [{ id: 4 }], truncated: true });
    expect(inFile()).toBe(5);
  });

  test("reads and binds every type without loss", async () => {
    const query =
      "SELECT :bellhop_value_1 AS a, :bellhop_value_2 AS b, :bellhop_value_3 AS c, :bellhop_value_4 AS d, 9007199254740993 AS e, x'00ff' AS f, 1e999 AS g";
    const { output } = await run({ query, values: [5_000_000_000, true, null, { a: 1 }] });
    expect(output?.["rows"]).toEqual([
      { a: 5_000_000_000, b: 1, c: null, d: '{"a":1}', e: "9007199254740993", f: "AP8=", g: "Infinity" },
    ]);
  });

  test("returns hostile values unchanged", async () => {
    const values = Object.values(HOSTILE_VALUES);
    const query = `SELECT ${values.map((_, index) => `:bellhop_value_${index + 1} AS v${index + 1}`).join(", ")}`;
    const { output } = await run({ query, values });
    expect(output?.["rows"]).toEqual([Object.fromEntries(values.map((value, index) => [`v${index + 1}`, value]))]);
  });

  test("reads no more of an endless result than it returns", async () => {
    const { output } = await run({ query: `${ENDLESS} SELECT i FROM n`, maxRows: 500 });
    expect(output).toMatchObject({ rowCount: 500, truncated: true });
    const wide = await run({ query: `${ENDLESS} SELECT printf('%01000d', i) FROM n`, maxRows: 100_000 });
    expect(wide.output).toMatchObject({ truncated: true });
    expect(Buffer.byteLength(JSON.stringify(wide.output))).toBeLessThan(420_000);
  });

  test.each([
    ["SELEC 1", 'near "SELEC": syntax error'],
    ["SELECT * FROM nowhere", "no such table: nowhere"],
    ["SELECT 1; DELETE FROM thing", "one statement"],
    ["SELECT 1; /* then */ ; DELETE FROM thing", "one statement"],
    ["SELECT ?", "1 parameters and 0 values"],
    ["SELECT 1 AS id, 2 AS id", "AS"],
    ["ATTACH 'other.db' AS other", "a connection for each file"],
    ["/*! so */ attach 'other.db' AS other", "a connection for each file"],
    ["VACUUM INTO 'other.db'", "a connection for each file"],
    ["SELECT load_extension('x')", "not authorized"],
  ])("%p fails: %s", async (query, part) => {
    const { error } = await run({ query });
    expect(error).toMatchObject({ code: "query_failed" });
    expect(error?.message).toContain(part);
    expect(inFile()).toBe(1);
  });

  test("may end with a semicolon and a comment, and contain several statements in a trigger", async () => {
    const trigger = "CREATE TRIGGER t AFTER INSERT ON thing BEGIN DELETE FROM thing; SELECT 1; END; -- done";
    expect((await run({ query: trigger })).status).toBe("succeeded");
  });

  test("with readOnly reads, and does not write", async () => {
    expect(await run({ query: "SELECT id FROM thing", readOnly: true })).toMatchObject({
      output: { rows: [{ id: 1 }] },
    });
    for (const query of ["DELETE FROM thing", "DROP TABLE thing", "PRAGMA user_version = 7"]) {
      expect((await run({ query, readOnly: true })).error).toMatchObject({ code: "read_only" });
    }
    expect(inFile()).toBe(1);
  });

  test("creates no file, and accepts only the path of a SQLite file", async () => {
    const missing = join(directory.path, "missing.db");
    expect((await run({ query: "SELECT 1" }, missing)).error).toMatchObject({ code: "unreachable" });
    expect(existsSync(missing)).toBe(false);
    await mkdir(join(directory.path, "folder"));
    await writeFile(join(directory.path, "text.db"), "This is some text, and no database at all.".repeat(50));
    const paths = ["shop.db", ":memory:", `file:${file}?mode=memory`, join(directory.path, "folder"), `${file}\0`];
    for (const path of [...paths, join(directory.path, "text.db")]) {
      expect((await run({ query: "SELECT * FROM sqlite_master" }, path)).error).toMatchObject({
        code: "invalid_config",
      });
    }
  });

  test.skipIf(process.getuid?.() === 0)("reports that the agent may not write to the file", async () => {
    await chmod(file, 0o400);
    const { error } = await run({ query: "DELETE FROM thing" });
    expect(error).toMatchObject({ code: "unreachable" });
    expect(error?.message).toContain("may not read and write");
  });

  test("waits for a lock, and reports a lock that stays", async () => {
    const other = new Database(file);
    other.run("BEGIN IMMEDIATE");
    const refused = await run({ query: "DELETE FROM thing", timeoutSeconds: 2 });
    expect(refused).toMatchObject({ status: "failed", error: { code: "query_failed" } });
    expect(refused.error?.message).toContain("had locked the database");
    const waiting = run({ query: "DELETE FROM thing" });
    other.run("COMMIT");
    other.close();
    expect(await waiting).toMatchObject({ status: "succeeded", output: { rowCount: 1 } });
  });

  test("is ended with its process on time-out and cancel, and rolled back", async () => {
    const query = `INSERT INTO thing (name) ${ENDLESS} SELECT 'more' FROM n`;
    const late = await runUntilTimeOut(sqliteJob(file, { query }), "the statement to hold the file", () =>
      isLocked(file),
    );
    expect(late).toMatchObject({ status: "timed_out", error: { code: "timed_out" } });
    expect(late.error?.message).toContain("SQLite rolled it back");
    expect(inFile("INSERT INTO thing (id) VALUES (2)")).toBe(2);
    const job = await beginJob(sqliteJob(file, { query }));
    await eventually("the statement to hold the file", () => isLocked(file));
    job.cancel();
    expect(await job.result).toMatchObject({ status: "cancelled" });
    expect(inFile("INSERT INTO thing (id) VALUES (3)")).toBe(3);
  });

  test("leaves a readable file when it is ended while writing, also for readOnly", async () => {
    inFile(`INSERT INTO thing (name) ${ENDLESS} SELECT hex(randomblob(500)) FROM n LIMIT 10000`);
    const job = await beginJob(sqliteJob(file, { query: SPILLING }));
    await eventually("pages to be written before they are committed", () => isHot(file));
    job.cancel();
    expect((await job.result).error?.message).toContain("SQLite rolled it back");
    expect(existsSync(`${file}-journal`)).toBe(false);
    const read = await run({ query: "SELECT count(*) AS n FROM thing WHERE name LIKE '%late%'", readOnly: true });
    expect(read.output).toMatchObject({ rows: [{ n: 0 }] });
  });

  test("with readOnly, like the connection test, rolls back another process's unfinished write", async () => {
    for (const look of [{ query: "SELECT count(*) AS n FROM thing", readOnly: true }, null]) {
      await leaveHotJournal(file);
      expect(existsSync(`${file}-journal`)).toBe(true);
      const job = sqliteJob(file, look ?? { query: "SELECT 1" });
      expect(await runJob(look === null ? { ...job, action: null, params: {} } : job)).toMatchObject({
        status: "succeeded",
        output: look === null ? { ok: true } : { rows: [{ n: 10_001 }] },
      });
      expect(existsSync(`${file}-journal`)).toBe(false);
      inFile("DELETE FROM thing WHERE id > 1");
    }
  });

  test.each([
    ["SQLITE_READONLY_ROLLBACK", "shop.db-journal"],
    ["SQLITE_READONLY_RECOVERY", "shop.db-wal"],
  ])("that cannot roll back (%s) names %s", (code, name) => {
    const at = { file: "/data/shop.db", secrets: [] };
    const failure = statementFailure({ code, message: "attempt to write a readonly database" }, at);
    expect(failure).toMatchObject({ code: "unreachable", message: expect.stringContaining(`/data/${name}`) });
  });

  test.skipIf(process.getuid?.() === 0)("names the journal that the agent may not roll back", async () => {
    await leaveHotJournal(file);
    await chmod(file, 0o400);
    const { error } = await run({ query: "SELECT * FROM thing", readOnly: true });
    expect(error).toMatchObject({ code: "unreachable", message: expect.stringContaining("shop.db-journal") });
  });

  test("skips a row that is too large, but keeps its change", async () => {
    const select = await run({ query: "SELECT zeroblob(10000000) AS a, zeroblob(10000000) AS b" });
    expect(select.error).toMatchObject({ code: "query_failed", message: expect.stringContaining("16 MiB") });
    const { output } = await run({ query: "UPDATE thing SET name = zeroblob(20000000) RETURNING id, name" });
    expect(output).toMatchObject({ rows: [], truncated: true });
    expect(inFile("UPDATE thing SET name = 'short' WHERE length(name) = 20000000 RETURNING id")).toBe(1);
    expect((await run({ query: "SELECT name FROM thing" })).output).toMatchObject({ rows: [{ name: "short" }] });
  });

  test("that needs too much memory is ended and rolled back", async () => {
    const query = `INSERT INTO thing (name) ${ENDLESS} SELECT length(group_concat(printf('%01000d', i), '')) FROM (SELECT i FROM n LIMIT 900000)`;
    const { error } = await run({ query });
    expect(error?.code).toBe("query_failed");
    expect(error?.message).toContain("256 MB of memory");
    expect(error?.message).toContain("rolled it back");
    expect(inFile()).toBe(1);
  });

  test("ends with the agent", async () => {
    const certificate = join(directory.path, "certificate.pem");
    await writeFile(certificate, (await selfSigned("DNS:localhost")).cert);
    const agent = new TrustingAgent(certificate);
    void agent.run(sqliteJob(file, { query: `INSERT INTO thing (name) ${ENDLESS} SELECT 'more' FROM n` }));
    await eventually("the statement to hold the file", () => isLocked(file));
    await agent.stop();
    await eventually("the statement to end", () => !isLocked(file));
    expect(inFile()).toBe(1);
  });

  test("appears on no command line, and does not block the agent", async () => {
    const mark = `mark_${crypto.randomUUID().replaceAll("-", "")}`;
    const job = await beginJob(
      sqliteJob(file, { query: `INSERT INTO thing (name) ${ENDLESS} SELECT '${mark}' FROM n` }),
    );
    await eventually("the statement to hold the file", () => isLocked(file));
    expect(onAnyCommandLine("sqlite-process")).toBe(true);
    expect(onAnyCommandLine(mark)).toBe(false);
    job.cancel();
    expect(await job.result).toMatchObject({ status: "cancelled" });
  });

  test("is tested by checking the file, then its content", async () => {
    const config = { driver: "sqlite", database: file };
    const good = await runTest("database", { config });
    expect(good.map(({ name, ok }) => [name, ok])).toEqual([
      ["File", true],
      ["SELECT 1", true],
    ]);
    expect(good[1]?.detail).toContain("SQLite 3.");
    const missing = await runTest("database", { config: { ...config, database: `${file}.missing` } });
    expect(missing.map(({ name, ok }) => [name, ok])).toEqual([["File", false]]);
    await writeFile(file, "This is some text, and no database at all.".repeat(50));
    const text = await runTest("database", { config });
    expect(text.map(({ name, ok }) => [name, ok])).toEqual([
      ["File", true],
      ["SELECT 1", false],
    ]);
  });
});

function isLocked(file: string): boolean {
  using database = new Database(file);
  try {
    database.run("BEGIN IMMEDIATE");
    database.run("ROLLBACK");
    return false;
  } catch {
    return true;
  }
}

/** Whether the journal's header counts pages; from then on, SQLite writes into the database file. */
function isHot(file: string): boolean {
  if (!existsSync(`${file}-journal`)) return false;
  return readFileSync(`${file}-journal`).subarray(0, 12).readUInt32BE(8) > 0;
}

/** Leaves a file as a process does that is killed while writing. */
async function leaveHotJournal(file: string): Promise<void> {
  const code = `
    const database = new (require("bun:sqlite").Database)(${JSON.stringify(file)});
    database.run(${JSON.stringify(`INSERT INTO thing (name) ${ENDLESS} SELECT hex(randomblob(500)) FROM n LIMIT 10000`)});
    database.run("PRAGMA cache_size = 10");
    database.run("BEGIN");
    database.run("UPDATE thing SET name = 'late' || name");
    process.kill(process.pid, "SIGKILL");`;
  await Bun.spawn([process.execPath, "-e", code], { stdio: ["ignore", "ignore", "inherit"] }).exited;
}
