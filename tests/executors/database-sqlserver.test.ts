import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { JobResult } from "../../schema/contract/agent.ts";
import { type QueryJob, queryJob } from "../support/database-jobs.ts";
import { eventually } from "../support/eventually.ts";
import { runTest } from "../support/executor-context.ts";
import { freePort } from "../support/free-port.ts";
import { HOSTILE_VALUES } from "../support/hostile-values.ts";
import { beginJob, runJob, runUntilTimeOut } from "../support/run-job.ts";
import { ENDLESS_QUERY, SLOW_QUERY, TdsServer } from "../support/tds-server.ts";
import { TrustingAgent } from "../support/trusting-agent.ts";

let server: TdsServer;
beforeAll(async () => {
  server = await TdsServer.start();
});
afterAll(async () => {
  await server.stop();
  // Every message of the driver matched the protocol's specification.
  expect(server.violations).toEqual([]);
});

const run = (job: QueryJob, peer: TdsServer = server): Promise<JobResult> => runJob(queryJob("sqlserver", peer, job));
const lastServed = () => server.journal.served.at(-1);

describe("a statement on SQL Server", () => {
  test("returns every type exactly as JSON can represent it", async () => {
    const { output } = await run({ query: "SELECT * FROM every_type" });
    const [row, nulls] = Array.isArray(output?.["rows"]) ? output["rows"] : [];
    expect(row).toEqual({
      an_int: -5,
      a_bigint: 42,
      a_large_bigint: "9223372036854775807",
      a_bit: true,
      a_float: 0.1,
      a_money: "-922337203685477.5807",
      a_smallmoney: -1.2345,
      a_decimal: "-1234567890123456789012345678.9012345678",
      a_short_decimal: 1.99,
      a_datetime: "2026-01-01T12:00:00.500",
      a_datetime2: "2026-01-01T12:00:00.1234567",
      a_datetimeoffset: "2026-01-01T12:00:00.1234567Z",
      a_date: "2026-01-01",
      a_time: "12:00:00.1234567",
      a_guid: "00112233-4455-6677-8899-AABBCCDDEEFF",
      a_text: "Grüße 🛎️",
      a_long_text: "y".repeat(10_000),
      bytes: "AP8Q",
      column_19: 7,
      an_int_2: 8,
    });
    expect(Object.values(nulls ?? {})).toEqual(Array.from({ length: 20 }, () => null));
    expect(output).toMatchObject({ rowCount: 2 });
  });

  test.each([
    ["a text", "it's", "nvarchar(4000)"],
    ["a long text", "z".repeat(4_001), "nvarchar(max)"],
    ["a small number", -5, "int"],
    ["the smallest int", -2_147_483_648, "int"],
    ["a larger number", 2_147_483_648, "bigint"],
    ["the largest whole number", Number.MAX_SAFE_INTEGER, "bigint"],
    ["a fraction", 0.5, "float"],
    ["true", true, "bit"],
    ["false", false, "bit"],
    ["null", null, "nvarchar(4000)"],
  ] as const)("binds %s with its type", async (_, value, type) => {
    const { output } = await run({ query: "SELECT :bellhop_value_1 AS a", values: [value] });
    expect(output).toMatchObject({ rows: [{ a: value, a_type: type }] });
    expect(lastServed()?.sql).toBe("SELECT @bellhop_value_1 AS a");
  });

  test("binds several values in order, and an object as its JSON text", async () => {
    const query = "SELECT :bellhop_value_2 AS a, :bellhop_value_1 AS b, :bellhop_value_2 AS c";
    const { output } = await run({ query, values: [{ x: [1] }, "two"] });
    expect(output).toMatchObject({ rows: [{ a: "two", b: '{"x":[1]}', c: "two" }] });
  });

  test.each(Object.entries(HOSTILE_VALUES))("gets %s unchanged, separate from the statement", async (_, value) => {
    const { output } = await run({ query: "SELECT :bellhop_value_1 AS a", values: [value] });
    expect(output).toMatchObject({ rows: [{ a: value }] });
  });

  test("returns the number of changed rows", async () => {
    const query = "UPDATE orders SET state = :bellhop_value_1 WHERE id = :bellhop_value_2";
    expect((await run({ query, values: ["done", 7] })).output).toEqual({ rows: [], rowCount: 3 });
    expect(server.journal.committed).toContain('["done",7]');
  });

  test("with readOnly is cancelled on the server after enough rows", async () => {
    const { status, output } = await run({ query: ENDLESS_QUERY, maxRows: 3, readOnly: true });
    expect({ status, ...output }).toMatchObject({ status: "succeeded", rowCount: 3, truncated: true });
    expect(lastServed()).toMatchObject({ sql: ENDLESS_QUERY, ended: "cancelled" });
  });

  test("without readOnly is read to its end, and its time limit applies", async () => {
    const { status, error } = await runUntilTimeOut(
      queryJob("sqlserver", server, { query: ENDLESS_QUERY, maxRows: 3 }),
      "the statement runs",
      () => lastServed()?.ended === "running",
    );
    expect({ status, ...error }).toMatchObject({ status: "timed_out", message: expect.stringContaining("cancelled") });
    expect(lastServed()).toMatchObject({ sql: ENDLESS_QUERY, ended: "cancelled" });
  });

  test("that writes runs to its end, also with more rows than maxRows", async () => {
    const { status, output } = await run({ query: "UPDATE endless SET n = 0 OUTPUT n, pad", maxRows: 3 });
    expect({ status, ...output }).toMatchObject({ status: "succeeded", rowCount: 3, truncated: true });
    expect(lastServed()?.ended).toBe("done");
    expect(server.journal.committed).toContain("all rows");
  });

  test("with several results returns the first", async () => {
    expect((await run({ query: "EXEC two_results" })).output).toMatchObject({
      rows: [{ a: 1 }, { a: 2 }],
      columns: ["a"],
      rowCount: 2,
    });
  });

  test("with a row that is too large is ended with advice", async () => {
    const { error } = await run({ query: "SELECT value FROM huge" });
    expect(error).toMatchObject({ code: "query_failed", message: expect.stringContaining("more than 16 MiB") });
    await eventually("the connection is closed", () => server.connections === 0);
  });

  test.each([
    ["SELECT a FROM nowhere", "query_failed", "Invalid object name 'nowhere' (error 208, line 1)"],
    ["SELEC 1", "query_failed", "Incorrect syntax"],
    ["EXEC failing", "query_failed", "the order is closed; The transaction ended in the trigger"],
    ["DELETE FROM deadlocked", "query_failed", "to end a deadlock"],
    ["DELETE FROM replica", "read_only", "database is read-only"],
  ])("%s fails as %s with the server's message", async (query, code, part) => {
    const { status, error } = await run({ query });
    expect(status).toBe("failed");
    expect(error).toMatchObject({ code, message: expect.stringContaining(part) });
  });

  test("whose connection is lost has an unknown outcome, and says so", async () => {
    const job = await beginJob(queryJob("sqlserver", server, { query: SLOW_QUERY }));
    await eventually("the statement runs", () => lastServed()?.ended === "running");
    server.dropConnections();
    expect((await job.result).error).toMatchObject({ code: "connection_lost" });
  });
});

describe("a read-only action on SQL Server", () => {
  test("runs in a transaction that is never committed", async () => {
    const { status } = await run({ query: "SELECT 1", readOnly: true });
    expect(status).toBe("succeeded");
    expect(server.journal.served.slice(-2).map(({ sql }) => sql)).toEqual(["BEGIN TRANSACTION", "SELECT 1"]);
  });

  test.each([
    "UPDATE orders SET state = 1 WHERE id = 2",
    "EXEC two_results",
    "SELECT 1; DELETE FROM orders",
    "SELECT * INTO copy FROM orders",
    "WITH x AS (SELECT 1 AS a) DELETE FROM orders",
    "SELECT NEXT VALUE FOR numbers",
    "SELECT 1 COMMIT",
    "-- SELECT\nDROP TABLE orders",
    "/* /* */ SELECT 1 */ TRUNCATE TABLE orders",
    "SELECT '--' DELETE FROM orders",
    "SELECT ']' AS [a]]b] UPDATE orders SET a = 1",
    "two_results",
    "",
    "SELECT * FROM OPENROWSET('x', 'y', 'DELETE')",
  ])("refuses %j before it is sent", async (query) => {
    const before = server.journal.served.filter(({ sql }) => !sql.startsWith("set ")).length;
    const { status, error } = await run({ query, readOnly: true });
    expect(status).toBe("failed");
    expect(error?.code).toBe(query === "" ? "invalid_params" : "read_only");
    expect(server.journal.served.filter(({ sql }) => !sql.startsWith("set ")).length).toBe(before);
  });

  test.each([
    "SELECT a FROM nowhere WHERE b = 'please DELETE it'",
    'SELECT [update], "delete" FROM nowhere',
    "/* INSERT */ WITH x AS (SELECT 1 AS a) SELECT a FROM nowhere -- DROP",
    "SELECT updated_at, is_deleted, @@ROWCOUNT FROM nowhere",
  ])("accepts %j", async (query) => {
    expect((await run({ query, readOnly: true })).error).toMatchObject({ code: "query_failed" });
  });
});

describe("ending a statement on SQL Server", () => {
  test.each(["time-out", "cancel"] as const)("by %s sends an ATTENTION and waits for its confirmation", async (by) => {
    const job = await beginJob(queryJob("sqlserver", server, { query: SLOW_QUERY }));
    await eventually("the statement runs", () => lastServed()?.ended === "running");
    if (by === "cancel") job.cancel();
    else job.timeOut();
    const { status, error } = await job.result;
    expect(status).toBe(by === "cancel" ? "cancelled" : "timed_out");
    expect(error?.message).toContain("cancelled on the server");
    expect(lastServed()?.ended).toBe("cancelled");
  });
});

describe("the connection to SQL Server", () => {
  test.each([
    ["a wrong password", { tls: "require" }, { password: "wrong" }, "authentication_failed", "(error 18456)"],
    ["a wrong password in plain", { tls: "off" }, { password: "wrong" }, "authentication_failed", "(error 18456)"],
    ["a wrong user", { tls: "require" }, { username: "unknown" }, "authentication_failed", "(error 18456)"],
    ["a wrong database", { database: "elsewhere" }, {}, "invalid_config", "Cannot open database"],
  ])("with %s fails and says what to do", async (_, config, secrets, code, part) => {
    const given = { username: server.username, password: server.password, ...secrets };
    const { error } = await run({ query: "SELECT 1", secrets: given, config });
    const message = error?.message ?? "";
    expect(error?.code).toBe(code);
    expect(message).toContain(part);
    expect(message).not.toContain(given.password);
  });

  test("without a server is unreachable", async () => {
    const port = await freePort();
    const { error } = await run({ query: "SELECT 1", config: { port } });
    expect(error).toMatchObject({ code: "unreachable", message: expect.stringContaining(`127.0.0.1:${port}`) });
  });

  test("to a server that is not SQL Server does not wait forever", async () => {
    const silent = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data: () => undefined } });
    const { status } = await run({ query: "SELECT 1", config: { port: silent.port }, timeoutSeconds: 1 });
    expect(status).toBe("timed_out");
    silent.stop(true);
    const speaks = Bun.listen({
      hostname: "127.0.0.1",
      port: 0,
      socket: { open: (socket) => void socket.end("hello\r\n"), data: () => undefined },
    });
    const { error } = await run({ query: "SELECT 1", config: { port: speaks.port } });
    expect(error?.code).toBe("unreachable");
    speaks.stop(true);
  });

  test("is tested by checks in order, with the server's version", async () => {
    const { host, port, database, username, password } = server;
    const config = { driver: "sqlserver", host, port, database, tls: "require" };
    const checks = await runTest("database", { config, secrets: { username, password } });
    expect(checks.map(({ name, ok }) => [name, ok])).toEqual([
      ["TCP connection", true],
      ["TLS", true],
      ["Authentication", true],
      ["SELECT 1", true],
    ]);
    expect(checks.at(-1)?.detail).toContain("Microsoft SQL Server 16.0.1000.6");
    expect(server.applications.at(-1)).toBe("bellhop-agent");
    const refused = await runTest("database", { config, secrets: { username, password: "wrong" } });
    expect(refused.map(({ name, ok }) => [name, ok])).toEqual([
      ["TCP connection", true],
      ["TLS", true],
      ["Authentication", false],
    ]);
  });

  test("verifies the certificate by default", async () => {
    const named = await TdsServer.start({ subjectAltName: "DNS:db.example" });
    const agent = new TrustingAgent(server.certificateFile);
    const otherAgent = new TrustingAgent(named.certificateFile);
    const job = (peer: TdsServer, tls: string) => {
      const given = queryJob("sqlserver", peer, { query: "SELECT 1" });
      return { ...given, config: { ...given.config, tls } };
    };
    expect(await agent.run(job(server, "verify"))).toMatchObject({ status: "succeeded" });
    expect(await agent.run(job(named, "verify"))).toMatchObject({ status: "failed", error: { code: "tls_error" } });
    // The issuer is trusted here, but the certificate is for another name.
    const other = await otherAgent.run(job(named, "verify"));
    expect(other).toMatchObject({ status: "failed", error: { code: "tls_error" } });
    expect(named.journal.served).toEqual([]);
    expect(await agent.run(job(named, "require"))).toMatchObject({ status: "succeeded" });
    await Promise.all([agent.stop(), otherAgent.stop(), named.stop()]);
  });

  test("is never silently unencrypted", async () => {
    const [plain, strict] = await Promise.all([
      TdsServer.start({ encryption: "missing" }),
      TdsServer.start({ encryption: "required" }),
    ]);
    const off = { config: { tls: "off" } };
    expect((await run({ query: "SELECT 1" }, plain)).error?.code).toBe("tls_error");
    expect((await run({ query: "SELECT 1", ...off }, plain)).status).toBe("succeeded");
    expect((await run({ query: "SELECT 1", ...off }, strict)).error).toMatchObject({
      code: "tls_error",
      message: expect.stringContaining("accepts only encrypted connections"),
    });
    await Promise.all([plain.stop(), strict.stop()]);
  });
});
