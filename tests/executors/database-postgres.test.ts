import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { JobResult } from "../../schema/contract/agent.ts";
import { type QueryJob, queryJob } from "../support/database-jobs.ts";
import { freePort } from "../support/free-port.ts";
import { HOSTILE_VALUES } from "../support/hostile-values.ts";
import { postgresMissing, PostgresServer } from "../support/postgres.ts";
import { testInFull } from "../support/in-full.ts";
import { runJob } from "../support/run-job.ts";

if (postgresMissing !== null) console.warn(`Tests of PostgreSQL are skipped: ${postgresMissing}.`);

describe.skipIf(postgresMissing !== null)("a statement on PostgreSQL", () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await PostgresServer.start();
    await server.sql("CREATE TABLE thing (id int PRIMARY KEY, name text, tag uuid, body jsonb, price numeric)");
    await server.sql("INSERT INTO thing VALUES (1, 'one', '00000000-0000-0000-0000-000000000001', '{\"a\": 1}', 1.50)");
    await server.sql(`GRANT ALL ON thing TO ${server.username}`);
  });
  afterAll(() => server.stop());

  const run = (job: QueryJob): Promise<JobResult> => runJob(queryJob("postgres", server, job));

  test("returns rows, the order of the columns and the number of rows", async () => {
    expect(await run({ query: "SELECT id, name, body, price FROM thing" })).toMatchObject({
      status: "succeeded",
      output: {
        rows: [{ id: 1, name: "one", body: { a: 1 }, price: 1.5 }],
        columns: ["id", "name", "body", "price"],
        rowCount: 1,
      },
    });
  });

  test.each([9, 10, 11, 64])("counts all of %d rows, also when they arrive in several portions", async (count) => {
    const { output } = await run({ query: `SELECT n FROM generate_series(1, ${count}) n` });
    expect(output).toMatchObject({ rowCount: count });
    const returning = `INSERT INTO thing SELECT n FROM generate_series(1000, ${999 + count}) n RETURNING id`;
    expect((await run({ query: returning })).output).toMatchObject({ rowCount: count });
    expect((await run({ query: "DELETE FROM thing WHERE id >= 1000" })).output).toMatchObject({ rowCount: count });
    // Its command tag is that of a SELECT, and it returns no rows.
    const copied = `CREATE TEMPORARY TABLE copied AS SELECT n FROM generate_series(1, ${count}) n`;
    expect((await run({ query: copied })).output).toEqual({ rows: [], rowCount: count });
  });

  test("returns the number of changed rows", async () => {
    const { output } = await run({ query: "INSERT INTO thing SELECT n FROM generate_series(100, 104) n" });
    expect(output).toEqual({ rows: [], rowCount: 5 });
    expect((await run({ query: "DELETE FROM thing WHERE id >= 100" })).output).toEqual({ rows: [], rowCount: 5 });
  });

  test("with a long error of the server shows no part of the password in that error", async () => {
    const detail = `repeat('x', 494) || '${server.password}' || repeat('y', 500)`;
    const { error } = await run({ query: `DO $$ BEGIN RAISE EXCEPTION '%', ${detail}; END $$` });
    expect(error?.message).toContain("x".repeat(494));
    expect(error?.message).not.toContain(server.password.slice(0, 4));
  });

  test("with more rows than maxRows has still changed all of them", async () => {
    const insert = "INSERT INTO thing (id) SELECT n FROM generate_series(200, 999) n RETURNING id";
    const { output } = await run({ query: insert, maxRows: 2 });
    expect(output).toMatchObject({ rows: [{ id: 200 }, { id: 201 }], rowCount: 2, truncated: true });
    expect(await server.sql("SELECT count(*) FROM thing WHERE id >= 200")).toBe("800");
    await server.sql("DELETE FROM thing WHERE id >= 200");
  });

  test.each([
    ["a number to a number", "SELECT name FROM thing WHERE id = :bellhop_value_1", 1, { name: "one" }],
    ["a text to a number", "SELECT name FROM thing WHERE id = :bellhop_value_1", "1", { name: "one" }],
    [
      "a text to a uuid",
      "SELECT id FROM thing WHERE tag = :bellhop_value_1",
      "00000000-0000-0000-0000-000000000001",
      { id: 1 },
    ],
    ["a number to LIMIT", "SELECT id FROM thing LIMIT :bellhop_value_1", 1, { id: 1 }],
    ["an object to jsonb", "SELECT id FROM thing WHERE body = :bellhop_value_1", { a: 1 }, { id: 1 }],
    [
      "a list to IN by way of JSON",
      "SELECT id FROM thing WHERE id IN (SELECT jsonb_array_elements_text(:bellhop_value_1::jsonb)::int)",
      [1, 7],
      { id: 1 },
    ],
    ["a boolean", "SELECT NOT :bellhop_value_1 AS no", true, { no: false }],
    ["null", "SELECT :bellhop_value_1::int IS NULL AS none", null, { none: true }],
  ] as const)("binds %s", async (_what, query, value, row) => {
    const values = [Array.isArray(value) ? [...value] : (value as never)];
    expect(await run({ query, values })).toMatchObject({ status: "succeeded", output: { rows: [row] } });
  });

  test("returns hostile values unchanged", async () => {
    for (const value of Object.values(HOSTILE_VALUES)) {
      const { output } = await run({ query: "SELECT :bellhop_value_1::text AS said", values: [value] });
      expect(output?.["rows"]).toEqual([{ said: value }]);
    }
  });

  test("without a value, or with an invalid query, is not sent", async () => {
    const lacking = await run({ query: "SELECT :bellhop_value_1" });
    expect(lacking).toMatchObject({ status: "failed", error: { code: "invalid_params" } });
    for (const query of [" \n", "SELECT '\0'"]) {
      expect(await run({ query })).toMatchObject({ status: "failed", error: { code: "invalid_params" } });
    }
  });

  test("with a function that writes calls that function for every row, even beyond maxRows", async () => {
    await server.sql("CREATE TABLE called (id int)");
    await server.sql(`GRANT ALL ON called TO ${server.username}`);
    await server.sql(
      "CREATE FUNCTION call(n int) RETURNS int LANGUAGE sql AS 'INSERT INTO called VALUES (n) RETURNING id'",
    );
    const { output } = await run({ query: "SELECT call(n) AS n FROM generate_series(1, 5000) n", maxRows: 1 });
    expect(output).toEqual({ rows: [{ n: 1 }], columns: ["n"], rowCount: 1, truncated: true });
    expect(await server.sql("SELECT count(*) FROM called")).toBe("5000");
  });

  testInFull("with 2 GB of rows is read to its end without keeping them in memory", async () => {
    const before = process.memoryUsage.rss();
    const query = "SELECT repeat('x', 100000) FROM generate_series(1, 20000)";
    expect((await run({ query })).output).toMatchObject({ truncated: true });
    expect(process.memoryUsage.rss() - before).toBeLessThan(1_000_000_000);
  });

  test("with readOnly reads no more of ten million rows than it returns", async () => {
    const query = "SELECT n FROM generate_series(1, 10000000) n";
    const { output } = await run({ query, maxRows: 500, readOnly: true });
    expect(output).toMatchObject({ rowCount: 500, truncated: true });
  });

  test("returns 1,000 rows by default, and never more than fit into a result", async () => {
    const standard = await run({ query: "SELECT n FROM generate_series(1, 1001) n" });
    expect(standard.output).toMatchObject({ rowCount: 1000, truncated: true });
    const wide = await run({ query: "SELECT repeat('x', 10000) FROM generate_series(1, 5000)", maxRows: 5000 });
    expect(wide).toMatchObject({ status: "succeeded", output: { truncated: true } });
    const bytes = Buffer.byteLength(JSON.stringify(wide.output));
    expect(bytes).toBeGreaterThan(350_000);
    expect(bytes).toBeLessThan(420_000);
  });

  test("with one enormous row fails and says what to select", async () => {
    const { error } = await run({ query: "SELECT repeat('x', 50000000)" });
    expect(error).toMatchObject({ code: "query_failed" });
    expect(error?.message).toContain("16 MiB");
  });

  test.each([
    ["SELECT 1; SELECT 2", "query_failed", "one statement"],
    ["SELEC 1", "query_failed", "SQLSTATE 42601, at character 1"],
    ["SELECT 1/0", "query_failed", "division by zero"],
    ["SELECT * FROM nothing", "query_failed", "42P01"],
    ["COPY thing TO STDOUT", "query_failed", "use SELECT"],
    ["COPY thing FROM STDIN", "query_failed", "use INSERT"],
    ["INSERT INTO thing (id) VALUES (1)", "query_failed", "Key (id)=(1) already exists"],
  ])("%p fails with %s: %s", async (query, code, part) => {
    const { error } = await run({ query });
    expect(error).toMatchObject({ code });
    expect(error?.message).toContain(part);
  });

  test("may be one that cannot run inside a transaction", async () => {
    expect(await run({ query: "VACUUM thing" })).toMatchObject({ status: "succeeded" });
  });

  test("names the cause when the port is closed, the login is wrong or the database is missing", async () => {
    const closed = await run({ query: "SELECT 1", config: { port: await freePort() } });
    expect(closed.error).toMatchObject({ code: "unreachable" });
    const denied = await run({ query: "SELECT 1", secrets: { username: server.username, password: "wrong" } });
    expect(denied.error).toMatchObject({ code: "authentication_failed" });
    expect(denied.error?.message).toContain("password authentication failed");
    const elsewhere = await run({ query: "SELECT 1", config: { database: "nowhere" } });
    expect(elsewhere.error).toMatchObject({ code: "invalid_config" });
    const split = await run({ query: "SELECT 1", config: { database: "shop\0replication\0true" } });
    expect(split.error).toMatchObject({ code: "invalid_config" });
    const half = await run({ query: "SELECT 1", secrets: { password: "x" } });
    expect(half.error).toMatchObject({ code: "credential_missing" });
  });

  test("reports that the server accepts no more connections", async () => {
    await server.sql("CREATE ROLE crowded LOGIN PASSWORD 'crowded' CONNECTION LIMIT 0");
    const { error } = await run({ query: "SELECT 1", secrets: { username: "crowded", password: "crowded" } });
    expect(error).toMatchObject({ code: "unreachable" });
    expect(error?.message).toContain("has no connections left");
  });

  test("keeps a shorter statement_timeout of the role, and reports that the server ended it", async () => {
    await server.sql(`ALTER ROLE ${server.username} SET statement_timeout = '200ms'`);
    const { status, error } = await run({ query: "SELECT pg_sleep(30)" });
    await server.sql(`ALTER ROLE ${server.username} RESET statement_timeout`);
    expect(status).toBe("failed");
    expect(error).toMatchObject({ code: "query_failed" });
    expect(error?.message).toContain("statement_timeout");
  });

  describe("with readOnly", () => {
    test("reads", async () => {
      expect(await run({ query: "SELECT 1 AS one", readOnly: true })).toMatchObject({ output: { rows: [{ one: 1 }] } });
    });

    test.each([
      "INSERT INTO thing (id) VALUES (50)",
      "WITH gone AS (DELETE FROM thing RETURNING id) SELECT * FROM gone",
      "CREATE TABLE other (id int)",
      "EXPLAIN ANALYZE DELETE FROM thing",
    ])("does not write by %p", async (query) => {
      expect((await run({ query, readOnly: true })).error).toMatchObject({ code: "read_only" });
      expect(await server.sql("SELECT count(*) FROM thing")).toBe("1");
    });

    test.each([
      "SET TRANSACTION READ WRITE",
      "SELECT set_config('transaction_read_only', 'off', false)",
      "DO $$ BEGIN SET TRANSACTION READ WRITE; DELETE FROM thing; END $$",
      "DO $$ BEGIN COMMIT; DELETE FROM thing; END $$",
      "COMMIT; DELETE FROM thing",
    ])("does not escape from read-only by %p", async (query) => {
      expect((await run({ query, readOnly: true })).error).toMatchObject({ code: "query_failed" });
      expect(await server.sql("SELECT count(*) FROM thing")).toBe("1");
    });
  });
});
