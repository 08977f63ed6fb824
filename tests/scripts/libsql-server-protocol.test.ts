import { Database } from "bun:sqlite";
import { afterEach, describe, expect, test } from "bun:test";
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
    const body = JSON.stringify({ requests: [execute("SELECT 1 AS one"), close] });
    const answers = [await post(`${server.url}/v2/pipeline`, body), await post(`${server.url}/v3/pipeline`, body)];
    const [second, third] = [await answers[0]?.json(), await answers[1]?.json()];
    expect(second).toEqual(third);
    expect(second).toMatchObject({
      baton: null,
      base_url: null,
      results: [
        { type: "ok", response: { type: "execute", result: { cols: [{ name: "one" }] } } },
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
    ["a number of an SQL text that is not stored", '{"requests":[{"type":"execute","stmt":{"sql_id":1}}]}'],
    ["a baton, because no stream outlives its pipeline", '{"baton":"abc","requests":[]}'],
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
    const { server } = await database({ maxBodyBytes: 1_000 });
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
        step("COMMIT"),
      ),
      close,
    ]);
    const ran = expect.objectContaining({ rows: expect.any(Array) });
    const error = { code: "SQLITE_ERROR", message: expect.stringContaining("broken") };
    expect(results[0]).toMatchObject({
      response: {
        result: {
          step_results: [ran, null, null, ran, null, null, ran, ran, ran, null, ran, null, ran],
          step_errors: [null, error, null, null, null, null, null, null, null, null, null, null, null],
        },
      },
    });
  });

  test("SQL that is stored under a number is used until it is closed, and in its own pipeline only", async () => {
    const { pipeline, server } = await database();
    const stored = { type: "execute", stmt: { sql_id: 7 } };
    const store = (sql: string) => ({ type: "store_sql", sql_id: 7, sql });
    const closeSql = { type: "close_sql", sql_id: 7 };
    const { results } = await pipeline([
      store("SELECT 1 AS a"),
      stored,
      closeSql,
      store("SELECT 2 AS b"),
      stored,
      close,
    ]);
    expect([results[1], results[4]]).toMatchObject([
      { response: { result: { cols: [{ name: "a" }] } } },
      { response: { result: { cols: [{ name: "b" }] } } },
    ]);
    for (const requests of [[stored], [store("SELECT 1"), closeSql, stored]]) {
      expect((await post(`${server.url}/v2/pipeline`, JSON.stringify({ requests }))).status).toBe(400);
    }
  });

  test("a prepared statement returns new columns after another process changed the schema", async () => {
    const { client, file } = await database();
    await client().execute("CREATE TABLE t (a)");
    const columns = async () => (await client().execute("SELECT * FROM t")).columns;
    expect(await columns()).toEqual(["a"]);
    const otherProcess = new Database(file);
    otherProcess.run("ALTER TABLE t ADD COLUMN b");
    expect(await columns()).toEqual(["a", "b"]);
    otherProcess.run("ALTER TABLE t RENAME COLUMN a TO c");
    expect(await columns()).toEqual(["c", "b"]);
    otherProcess.close();
  });

  test("each batch of a pipeline is its own transaction, also after one that fails or stays open", async () => {
    const { pipeline, client } = await database();
    await client().execute("CREATE TABLE t (a INTEGER PRIMARY KEY)");
    const insert = (value: number) => step(`INSERT INTO t VALUES (${value})`, { type: "ok", step: 0 });
    const write = (value: number) =>
      batch(
        step("BEGIN IMMEDIATE"),
        insert(value),
        step("COMMIT", { type: "ok", step: 1 }),
        step("ROLLBACK", { type: "not", cond: { type: "ok", step: 2 } }),
      );
    const { results } = await pipeline([
      write(1),
      write(1),
      batch(step("BEGIN IMMEDIATE"), insert(2)),
      execute("BEGIN"),
      write(3),
      close,
    ]);
    expect(results).toMatchObject([
      { type: "ok", response: { result: { step_errors: [null, null, null, null] } } },
      {
        type: "ok",
        response: { result: { step_errors: [null, { code: "SQLITE_CONSTRAINT_PRIMARYKEY" }, null, null] } },
      },
      failed("TRANSACTION_LEFT_OPEN"),
      failed("TRANSACTION_LEFT_OPEN"),
      { type: "ok", response: { result: { step_errors: [null, null, null, null] } } },
      { type: "ok" },
    ]);
    expect((await client().execute("SELECT a FROM t")).rows.map((row) => row["a"])).toEqual([1, 3]);
  });

  test("a setting ends with its request", async () => {
    const { pipeline } = await database();
    const { results } = await pipeline([
      { type: "sequence", sql: "PRAGMA foreign_keys = OFF; CREATE TEMP TABLE mine (a); SELECT * FROM mine" },
      execute("PRAGMA foreign_keys"),
      execute("SELECT * FROM mine"),
      close,
    ]);
    expect(results).toMatchObject([
      { type: "ok" },
      { response: { result: { rows: [[{ value: "1" }]] } } },
      failed("SQLITE_ERROR"),
      { type: "ok" },
    ]);
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
