import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { JobResult } from "../../schema/contract/agent.ts";
import { type QueryJob, queryJob } from "../support/database-jobs.ts";
import { freePort } from "../support/free-port.ts";
import { HOSTILE_VALUES } from "../support/hostile-values.ts";
import { mariadbMissing, MariadbServer } from "../support/mariadb.ts";
import { runJob } from "../support/run-job.ts";

if (mariadbMissing !== null) console.warn(`Tests of MariaDB are skipped: ${mariadbMissing}.`);

describe.skipIf(mariadbMissing !== null)("a statement on MariaDB", () => {
  let server: MariadbServer;
  beforeAll(async () => {
    server = await MariadbServer.start({ config: ["--log-output=TABLE"] });
    await server.sql("CREATE TABLE thing (id int PRIMARY KEY, name text)");
    await server.sql("INSERT INTO thing VALUES (1, 'one')");
  });
  afterAll(() => server.stop());

  const run = (job: QueryJob): Promise<JobResult> => runJob(queryJob("mysql", server, job));

  test("returns rows, the order of the columns and the number of rows", async () => {
    expect((await run({ query: "SELECT name, id FROM thing" })).output).toEqual({
      rows: [{ name: "one", id: 1 }],
      columns: ["name", "id"],
      rowCount: 1,
    });
  });

  test("returns the number of changed rows", async () => {
    const { output } = await run({ query: "INSERT INTO thing SELECT seq + 100, 'x' FROM seq_1_to_5" });
    expect(output).toEqual({ rows: [], rowCount: 5 });
    expect((await run({ query: "DELETE FROM thing WHERE id > 100" })).output).toEqual({ rows: [], rowCount: 5 });
  });

  test("with more rows than maxRows has still changed all of them", async () => {
    await server.sql("CREATE TABLE many AS SELECT seq AS id FROM seq_1_to_5000");
    const { output } = await run({ query: "DELETE FROM many RETURNING id", maxRows: 2 });
    expect(output).toMatchObject({ rows: [{ id: 1 }, { id: 2 }], rowCount: 5000, truncated: true });
    expect(await server.sql("SELECT count(*) FROM many")).toBe("0");
  });

  test("reads every type without loss", async () => {
    await server.sql(`CREATE TABLE types (a bigint unsigned, b decimal(40,20), c float, d double, e bit(3), f boolean,
      g blob, h json, i date, j datetime(3), k timestamp(6) NULL, l time, m year, n varbinary(4))`);
    await server.sql(`INSERT INTO types VALUES (18446744073709551615, 1.5, 1.1, 0.1, b'101', true, x'00ff',
      '{"id": 12345678901234567890}', '2026-01-31', '2026-01-31 10:00:00.5', '2026-01-31 10:00:00.123456',
      '-10:00:01', 2026, x'ff')`);
    expect((await run({ query: "SELECT * FROM types" })).output?.["rows"]).toEqual([
      {
        a: "18446744073709551615",
        b: 1.5,
        c: 1.1,
        d: 0.1,
        e: 5,
        f: 1,
        g: "AP8=",
        h: { id: "12345678901234567890" },
        i: "2026-01-31",
        j: "2026-01-31T10:00:00.500",
        k: "2026-01-31T10:00:00.123456",
        l: "-10:00:01",
        m: 2026,
        n: "/w==",
      },
    ]);
  });

  test.each([
    ["a number to a number", "SELECT name FROM thing WHERE id = :bellhop_value_1", 1, { name: "one" }],
    ["a text to a number", "SELECT name FROM thing WHERE id = :bellhop_value_1", "1", { name: "one" }],
    ["a number to LIMIT", "SELECT id FROM thing LIMIT :bellhop_value_1", 1, { id: 1 }],
    ["a fraction", "SELECT :bellhop_value_1 * 2 AS twice", 1.25, { twice: 2.5 }],
    ["a boolean", "SELECT :bellhop_value_1 + 1 AS more", true, { more: 2 }],
    ["null", "SELECT :bellhop_value_1 IS NULL AS none", null, { none: 1 }],
    ["one value to two places", "SELECT :bellhop_value_1 AS a, :bellhop_value_1 AS b", "x", { a: "x", b: "x" }],
    ["an object as JSON", "SELECT JSON_VALUE(:bellhop_value_1, '$.a') AS a", { a: "x" }, { a: "x" }],
  ] as const)("binds %s", async (_what, query, value, row) => {
    expect(await run({ query, values: [value] })).toMatchObject({ status: "succeeded", output: { rows: [row] } });
  });

  test("returns hostile values unchanged", async () => {
    for (const value of Object.values(HOSTILE_VALUES)) {
      const { output } = await run({ query: "SELECT :bellhop_value_1 AS said", values: [value] });
      expect(output?.["rows"]).toEqual([{ said: value }]);
    }
  });

  test("is prepared on the server, with values as parameters", async () => {
    await server.sql("SET GLOBAL general_log = 1");
    await run({ query: "SELECT 'marked', :bellhop_value_1 AS said", values: ["it's"] });
    await server.sql("SET GLOBAL general_log = 0");
    const log = "SELECT command_type, argument FROM mysql.general_log WHERE argument LIKE '%marked%'";
    const entries = (
      await server.sql(`${log} AND command_type IN ('Prepare', 'Query') AND argument NOT LIKE '%general_log%'`)
    ).split("\n");
    expect(entries).toEqual(["Prepare\tSELECT 'marked', ? AS said"]);
  });

  test("refuses placeholders that are not from templates", async () => {
    const { error } = await run({ query: "SELECT ?, :bellhop_value_1", values: [1] });
    expect(error).toMatchObject({ code: "query_failed" });
    expect(error?.message).toContain("2 placeholders and 1 values");
  });

  test("with a function that writes calls that function for every row, even beyond maxRows", async () => {
    await server.sql("CREATE TABLE called (id int)");
    await server.sql(
      "CREATE FUNCTION called(n int) RETURNS int MODIFIES SQL DATA BEGIN INSERT INTO called VALUES (n); RETURN n; END",
    );
    const { output } = await run({ query: "SELECT called(seq) AS n FROM seq_1_to_20000", maxRows: 1 });
    expect(output).toEqual({ rows: [{ n: 1 }], columns: ["n"], rowCount: 1, truncated: true });
    expect(await server.sql("SELECT count(*) FROM called")).toBe("20000");
  });

  test("with readOnly reads no more of ten million rows than it returns, and the server ends the query", async () => {
    const query = "SELECT seq AS abandoned FROM seq_1_to_10000000";
    const { output } = await run({ query, maxRows: 500, readOnly: true });
    expect(output).toMatchObject({ rowCount: 500, truncated: true });
    expect(await server.running("abandoned")).toBe(0);
  });

  test("never returns more than fits into a result", async () => {
    const wide = await run({ query: "SELECT repeat('x', 10000) FROM seq_1_to_5000", maxRows: 5000 });
    expect(wide).toMatchObject({ status: "succeeded", output: { truncated: true } });
    const bytes = Buffer.byteLength(JSON.stringify(wide.output));
    expect(bytes).toBeGreaterThan(350_000);
    expect(bytes).toBeLessThan(420_000);
  });

  test("with one enormous row fails and says what to select", async () => {
    await server.sql("SET GLOBAL max_allowed_packet = 67108864");
    const { error } = await run({ query: "SELECT repeat('x', 50000000)" });
    expect(error).toMatchObject({ code: "query_failed" });
    expect(error?.message).toContain("16 MiB");
  });

  test("that calls a procedure returns the procedure's first result", async () => {
    await server.sql("CREATE PROCEDURE two() BEGIN SELECT 1 AS a; SELECT 2 AS b; END");
    expect((await run({ query: "CALL two()" })).output).toEqual({ rows: [{ a: 1 }], columns: ["a"], rowCount: 1 });
  });

  test.each([
    ["SELECT 1; SELECT 2", "query_failed", "one statement"],
    ["SELEC 1", "query_failed", "error 1064, SQLSTATE 42000"],
    ["SELECT * FROM nothing", "query_failed", "error 1146"],
    ["LOAD DATA LOCAL INFILE '/etc/passwd' INTO TABLE thing", "query_failed", "local infile"],
    ["INSERT INTO thing (id) VALUES (1)", "query_failed", "Duplicate entry '1'"],
  ])("%p fails with %s: %s", async (query, code, part) => {
    const { error } = await run({ query });
    expect(error).toMatchObject({ code });
    expect(error?.message).toContain(part);
  });

  test("names the cause when the port is closed, the login is wrong or the database is missing", async () => {
    const closed = await run({ query: "SELECT 1", config: { port: await freePort() } });
    expect(closed.error).toMatchObject({ code: "unreachable" });
    const denied = await run({ query: "SELECT 1", secrets: { username: server.username, password: "wrong" } });
    expect(denied.error).toMatchObject({ code: "authentication_failed" });
    expect(denied.error?.message).toContain("Access denied");
    const forbidden = await run({ query: "SELECT 1", config: { database: "mysql" } });
    expect(forbidden.error).toMatchObject({ code: "authentication_failed" });
    await server.sql(`GRANT ALL ON nowhere.* TO '${server.username}'@'127.0.0.1'`);
    const elsewhere = await run({ query: "SELECT 1", config: { database: "nowhere" } });
    expect(elsewhere.error).toMatchObject({ code: "invalid_config" });
  });

  test("reports that the server accepts no more connections", async () => {
    await server.sql("CREATE USER crowded@'127.0.0.1' IDENTIFIED BY 'crowded' WITH MAX_USER_CONNECTIONS -1");
    const { error } = await run({ query: "SELECT 1", secrets: { username: "crowded", password: "crowded" } });
    expect(error).toMatchObject({ code: "unreachable" });
    expect(error?.message).toContain("has no connections left");
  });

  describe("with readOnly", () => {
    beforeAll(() => server.sql("CREATE PROCEDURE clear() BEGIN COMMIT; DELETE FROM thing; END"));

    test("reads", async () => {
      expect(await run({ query: "SELECT 1 AS one", readOnly: true })).toMatchObject({ output: { rows: [{ one: 1 }] } });
    });

    test.each([
      "INSERT INTO thing (id) VALUES (50)",
      "CREATE TABLE other (id int)",
      "CALL clear()",
      "/*! CALL */ clear()",
      "BEGIN NOT ATOMIC COMMIT; DELETE FROM thing; END",
      "EXECUTE IMMEDIATE 'CALL clear()'",
      "START TRANSACTION READ WRITE",
      "WITH a AS (SELECT 1) DELETE FROM thing",
    ])("does not write by %p", async (query) => {
      const { error } = await run({ query, readOnly: true });
      expect(["read_only", "query_failed"]).toContain(error?.code ?? "none");
      expect(await server.sql("SELECT count(*) FROM thing")).toBe("1");
    });

    test("is refused by the server, too, when a function writes", async () => {
      await server.sql(
        "CREATE FUNCTION wipe() RETURNS int MODIFIES SQL DATA BEGIN DELETE FROM shop.thing; RETURN 1; END",
      );
      const { error } = await run({ query: "SELECT wipe()", readOnly: true });
      expect(error).toMatchObject({ code: "read_only" });
      expect(error?.message).toContain("READ ONLY transaction");
    });
  });
});
