import { Database } from "bun:sqlite";
import { afterEach, describe, expect, test } from "bun:test";
import { z } from "zod";
import { codeOf, post, startTestLibsql, type TestLibsql } from "../support/libsql.ts";

const started: TestLibsql[] = [];
afterEach(async () => {
  for (const database of started.splice(0)) await database.dispose();
});

async function database(options?: Parameters<typeof startTestLibsql>[0]): Promise<TestLibsql> {
  const fresh = await startTestLibsql(options);
  started.push(fresh);
  return fresh;
}

const close = { type: "close" };
const execute = (sql: string, rest: object = {}) => ({ type: "execute", stmt: { sql, ...rest } });
const step = (sql: string, condition?: object) => ({ stmt: { sql }, condition });
const batch = (...steps: object[]) => ({ type: "batch", batch: { steps } });
const failed = (code: string) => ({ type: "error", error: { code, message: expect.any(String) } });

describe("the server's paths", () => {
  test.each([
    ["/v2", 200],
    ["/v3", 200],
    ["/health", 200],
    ["/v3-protobuf", 404],
    ["/v2/pipeline", 404],
    ["/", 404],
  ])("GET %s answers %i", async (path, status) => {
    const { server } = await database();
    expect((await fetch(server.url + path)).status).toBe(status);
  });

  test("both versions of the pipeline give the same answers", async () => {
    const { server } = await database();
    const body = JSON.stringify({ requests: [execute("SELECT 1 AS one"), { type: "get_autocommit" }, close] });
    const answers = [await post(`${server.url}/v2/pipeline`, body), await post(`${server.url}/v3/pipeline`, body)];
    const [second, third] = [await answers[0]?.json(), await answers[1]?.json()];
    expect(second).toEqual(third);
    expect(second).toMatchObject({
      baton: null,
      base_url: null,
      results: [
        { type: "ok", response: { type: "execute", result: { cols: [{ name: "one", decltype: null }] } } },
        { type: "ok", response: { type: "get_autocommit", is_autocommit: true } },
        { type: "ok", response: { type: "close" } },
      ],
    });
  });
});

describe("bodies", () => {
  test.each<[string, string]>([
    ["text that is not JSON", "{"],
    ["JSON that is not an object", "[]"],
    ["no requests", "{}"],
    ["an unknown request", '{"requests":[{"type":"dance"}]}'],
    ["no SQL", '{"requests":[{"type":"execute","stmt":{}}]}'],
    ["two SQL texts", '{"requests":[{"type":"execute","stmt":{"sql":"SELECT 1","sql_id":1}}]}'],
    ["a baton of a wrong type", '{"baton":1,"requests":[]}'],
    ["an unknown value", '{"requests":[{"type":"execute","stmt":{"sql":"SELECT ?","args":[{"type":"date"}]}}]}'],
    ["an integer that is not an integer", integerArgument("1.5")],
    ["an integer beyond 64 bits", integerArgument("9223372036854775808")],
    ["a condition on a later step", conditionOn('{"type":"ok","step":0}')],
    ["an unknown condition", conditionOn('{"type":"perhaps"}')],
    [
      "conditions that nest too deep",
      conditionOn(`${'{"type":"not","cond":'.repeat(200)}{"type":"is_autocommit"}${"}".repeat(200)}`),
    ],
  ])("with %s are refused with 400, and the server keeps running", async (_, body) => {
    const { server, client } = await database();
    const response = await post(`${server.url}/v2/pipeline`, body);
    expect(response.status).toBe(400);
    expect(await response.json()).toEqual({ code: "MALFORMED_REQUEST", message: expect.any(String) });
    expect((await client().execute("SELECT 1")).rows).toHaveLength(1);
  });

  test("with a malformed pipeline run no part of it", async () => {
    const { server, client } = await database();
    const requests = [execute("CREATE TABLE t (a)"), { type: "dance" }];
    await post(`${server.url}/v2/pipeline`, JSON.stringify({ requests }));
    expect((await client().execute("SELECT name FROM sqlite_schema")).rows).toHaveLength(0);
  });

  test("beyond the size limit are refused with 413", async () => {
    const { server } = await database({ limits: { maxBodyBytes: 1_000 } });
    expect((await post(`${server.url}/v2/pipeline`, " ".repeat(1_001))).status).toBe(413);
  });
});

describe("requests", () => {
  test("blobs are read with and without padding, and sent without", async () => {
    const { pipeline } = await database();
    const args = ["AQ", "AQ=="].map((base64) => ({ type: "blob", base64 }));
    expect((await pipeline([execute("SELECT ?, ?", { args }), close])).results[0]).toMatchObject({
      response: {
        result: {
          rows: [
            [
              { type: "blob", base64: "AQ" },
              { type: "blob", base64: "AQ" },
            ],
          ],
        },
      },
    });
  });

  test("want_rows: false runs the statement and sends no rows", async () => {
    const { pipeline } = await database();
    const { results } = await pipeline([
      execute("CREATE TABLE t (a)"),
      execute("INSERT INTO t VALUES (1), (2) RETURNING a", { want_rows: false }),
      execute("SELECT a FROM t", { want_rows: false }),
      close,
    ]);
    expect(results[1]).toMatchObject({ response: { result: { rows: [], affected_row_count: 2 } } });
    expect(results[2]).toMatchObject({ response: { result: { cols: [{ name: "a" }], rows: [] } } });
  });

  test("the steps of a batch run according to their conditions", async () => {
    const { pipeline } = await database();
    const no = { type: "error", step: 0 };
    const yes = { type: "not", cond: no };
    const { results } = await pipeline([
      batch(
        step("SELECT 0"),
        step("SELECT broken"),
        step("SELECT 2", { type: "ok", step: 1 }),
        step("SELECT 3", { type: "error", step: 1 }),
        step("SELECT 4", { type: "error", step: 2 }),
        step("SELECT 5", { type: "and", conds: [yes, no] }),
        step("SELECT 6", { type: "or", conds: [no, yes] }),
        step("SELECT 7", { type: "is_autocommit" }),
        step("BEGIN"),
        step("SELECT 9", { type: "is_autocommit" }),
        step("SELECT 10", { type: "and", conds: [] }),
        step("SELECT 11", { type: "or", conds: [] }),
      ),
      close,
    ]);
    const ran = expect.objectContaining({ rows: expect.any(Array) });
    const error = { code: "SQLITE_ERROR", message: expect.stringContaining("broken") };
    expect(results[0]).toMatchObject({
      response: {
        result: {
          step_results: [ran, null, null, ran, null, null, ran, ran, ran, null, ran, null],
          step_errors: [null, error, null, null, null, null, null, null, null, null, null, null],
        },
      },
    });
  });

  test("describe returns parameters, columns and whether a statement writes, and runs nothing", async () => {
    const { pipeline } = await database();
    const describe = (sql: string) => ({ type: "describe", sql });
    const { results } = await pipeline([
      execute("CREATE TABLE t (a INTEGER, b TEXT)"),
      describe("SELECT a, b AS x, 1 FROM t WHERE a = :a AND b = ? AND a < @max AND a > :a"),
      describe("WITH n AS (SELECT 1) INSERT INTO t SELECT *, 'b' FROM n"),
      describe("EXPLAIN DELETE FROM t"),
      describe("SELECT nothing"),
      execute("SELECT * FROM t"),
      close,
    ]);
    expect(results.slice(1, 6)).toMatchObject([
      {
        response: {
          result: {
            params: [{ name: ":a" }, { name: null }, { name: "@max" }],
            cols: [
              { name: "a", decltype: "INTEGER" },
              { name: "x", decltype: "TEXT" },
              { name: "1", decltype: null },
            ],
            is_explain: false,
            is_readonly: true,
          },
        },
      },
      { response: { result: { params: [], cols: [], is_explain: false, is_readonly: false } } },
      { response: { result: { is_explain: true, is_readonly: true } } },
      failed("SQLITE_ERROR"),
      { response: { result: { rows: [] } } },
    ]);
  });

  test("SQL is stored under a number, used and closed", async () => {
    const { pipeline } = await database();
    const stored = { type: "execute", stmt: { sql_id: 7 } };
    const store = (sql: string) => ({ type: "store_sql", sql_id: 7, sql });
    const { results } = await pipeline([
      store("SELECT 1"),
      stored,
      store("SELECT 2"),
      { type: "close_sql", sql_id: 7 },
      stored,
      store(`SELECT '${"x".repeat(5_000)}'`),
      close,
    ]);
    expect(results).toMatchObject([
      { type: "ok" },
      { type: "ok" },
      failed("SQL_EXISTS"),
      { type: "ok" },
      failed("SQL_NOT_FOUND"),
      failed("SQL_STORE_TOO_LARGE"),
      { type: "ok" },
    ]);
  });

  test("a stream with a prepared statement returns new columns after other clients changed the schema", async () => {
    const { pipeline, client, file } = await database();
    const select = execute("SELECT * FROM t");
    await client().execute("CREATE TABLE t (a)");
    let stream = await pipeline([select]);
    const columnsAfter = async (change: () => unknown) => {
      await change();
      stream = await pipeline([{ type: "describe", sql: "SELECT *, * FROM t" }, select], stream.baton);
      const columns = z.object({ response: z.object({ result: z.object({ cols: z.array(z.unknown()) }) }) });
      return z
        .array(columns)
        .parse(stream.results)
        .map(({ response }) => response.result.cols.length);
    };
    const otherProcess = new Database(file);
    expect(await columnsAfter(() => client().execute("ALTER TABLE t ADD COLUMN b"))).toEqual([4, 2]);
    expect(await columnsAfter(() => otherProcess.run("ALTER TABLE t ADD COLUMN c"))).toEqual([6, 3]);
    expect(await columnsAfter(() => client().execute("ALTER TABLE t DROP COLUMN a"))).toEqual([4, 2]);
    otherProcess.close();
  });

  test("a pipeline that closes inside a transaction rolls the transaction back", async () => {
    const { pipeline, client } = await database();
    await client().execute("CREATE TABLE t (a)");
    await pipeline([execute("BEGIN IMMEDIATE"), execute("INSERT INTO t VALUES (1)"), close]);
    expect((await client().batch(["SELECT * FROM t", "INSERT INTO t VALUES (2)"], "write"))[0]?.rows).toHaveLength(0);
  });
});

describe("batons", () => {
  test("change with every answer, and each works once", async () => {
    const { pipeline, server } = await database();
    const first = await pipeline([execute("CREATE TEMP TABLE mine (a)")]);
    const second = await pipeline([execute("SELECT * FROM mine")], first.baton);
    expect(second.results[0]).toMatchObject({ type: "ok" });
    expect(second.baton).not.toBe(first.baton);
    const again = await post(`${server.url}/v2/pipeline`, JSON.stringify({ baton: first.baton, requests: [close] }));
    expect([again.status, await again.json()]).toEqual([400, { code: "BATON_INVALID", message: expect.any(String) }]);
    expect((await pipeline([execute("SELECT * FROM mine"), close], second.baton)).baton).toBeNull();
  });

  test("beyond the limit end idle streams, but no open transactions", async () => {
    const { pipeline } = await database();
    const transaction = await pipeline([execute("BEGIN"), execute("SELECT 1")]);
    const oldest = await pipeline([]);
    for (let count = 0; count < 130; count++) await pipeline([]);
    expect((await pipeline([execute("COMMIT"), close], transaction.baton)).results[0]).toMatchObject({ type: "ok" });
    await expect(pipeline([close], oldest.baton)).rejects.toThrow();
  });
});

describe("the bearer token", () => {
  test("is required when one is set, and a wrong token is refused with 401", async () => {
    const { client, server } = await database({ authToken: "right" });
    expect((await client({ authToken: "right" }).execute("SELECT 1")).rows).toHaveLength(1);
    expect(await codeOf(client({ authToken: "wrong" }).execute("SELECT 1"))).toBe("UNAUTHORIZED");
    expect(await codeOf(client().execute("SELECT 1"))).toBe("UNAUTHORIZED");
    expect((await post(`${server.url}/v2/pipeline`, '{"requests":[]}')).status).toBe(401);
    expect(server.statementCount()).toBe(1);
  });
});

function integerArgument(value: string): string {
  return JSON.stringify({ requests: [execute("SELECT ?", { args: [{ type: "integer", value }] })] });
}

function conditionOn(condition: string): string {
  return `{"requests":[{"type":"batch","batch":{"steps":[{"stmt":{"sql":"SELECT 1"},"condition":${condition}}]}}]}`;
}
