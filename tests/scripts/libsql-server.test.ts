import { Database } from "bun:sqlite";
import { afterEach, describe, expect, test } from "bun:test";
import { statSync } from "node:fs";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient } from "@libsql/client/web";
import type { InValue } from "@libsql/client/web";
import { startLibsqlServer } from "../../scripts/libsql-server/server.ts";
import { codeOf, startTestLibsql, type TestLibsql } from "../support/libsql.ts";

const started: TestLibsql[] = [];
afterEach(async () => {
  for (const database of started.splice(0)) await database.dispose();
});

async function database(): Promise<TestLibsql> {
  const fresh = await startTestLibsql();
  started.push(fresh);
  return fresh;
}

describe("statements", () => {
  test("arguments by name are refused", async () => {
    const client = (await database()).client();
    expect(await codeOf(client.execute({ sql: "SELECT :a AS a", args: { a: "1" } }))).toBe("MALFORMED_REQUEST");
    expect((await client.execute({ sql: "SELECT :a AS a, :a AS again", args: ["1"] })).rows[0]).toMatchObject({
      again: "1",
    });
  });

  test("numbered parameters may come in any order", async () => {
    const client = (await database()).client();
    const { rows } = await client.execute({ sql: "SELECT ?2 AS x, ?1 AS y, ? AS z", args: ["a", "b", "c"] });
    expect(rows[0]).toMatchObject({ x: "b", y: "a", z: "c" });
  });

  test.each<[string, InValue[]]>([
    ["SELECT ?, ?", [1]],
    ["SELECT ?", [1, 2]],
  ])("%s is refused with the wrong number of arguments", async (sql, args) => {
    expect(await codeOf((await database()).client().execute({ sql, args }))).toBe("ARGS_INVALID");
  });

  test("text inside a literal or a comment is not a parameter", async () => {
    const client = (await database()).client();
    const sql = `SELECT '?' AS a, ":x" AS b, ? AS c /* ? */ -- ?\n FROM (SELECT 1 AS ":x")`;
    const { rows } = await client.execute({ sql, args: ["z"] });
    expect(rows[0]).toMatchObject({ a: "?", b: 1, c: "z" });
  });

  test("results have columns, affected rows and the last rowid", async () => {
    const client = (await database()).client();
    await client.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT NOT NULL)");
    const inserted = await client.execute("INSERT INTO t (name) VALUES ('a'), ('b')");
    expect(inserted).toMatchObject({ rowsAffected: 2, lastInsertRowid: 2n });
    const returned = await client.execute("INSERT INTO t (name) VALUES ('c') RETURNING id, name");
    expect(returned).toMatchObject({ rowsAffected: 1, lastInsertRowid: 3n, columns: ["id", "name"] });
    expect(await client.execute("UPDATE t SET name = 'x' WHERE id > 1")).toMatchObject({ rowsAffected: 2 });
    expect(await client.execute("UPDATE t SET name = 'x' WHERE id = 99")).toMatchObject({ rowsAffected: 0 });
    expect(await client.execute("SELECT * FROM t")).toMatchObject({ rowsAffected: 0 });
  });

  test("two statements in one execute are refused, and none runs", async () => {
    const client = (await database()).client();
    const sql = "CREATE TABLE one (a); CREATE TABLE two (a)";
    expect(await codeOf(client.execute(sql))).toBe("SQL_MANY_STATEMENTS");
    expect(await codeOf(client.execute("SELECT 1\0; CREATE TABLE two (a)"))).toBe("SQL_MANY_STATEMENTS");
    const withArgument = { sql: "CREATE TABLE one (a); SELECT ?; SELECT 2", args: [1] };
    expect(await codeOf(client.execute(withArgument))).toBe("SQL_MANY_STATEMENTS");
    expect(await codeOf(client.execute({ sql: "SELECT ?; SELECT ?", args: [1] }))).toBe("SQL_MANY_STATEMENTS");
    expect(await codeOf(client.execute(" -- nothing\n"))).toBe("SQL_NO_STATEMENT");
    expect((await client.execute("SELECT name FROM sqlite_schema")).rows).toHaveLength(0);
  });

  test("one statement may contain semicolons in literals and comments, and end with one", async () => {
    const client = (await database()).client();
    const { rows } = await client.execute({ sql: "SELECT ';' AS a, ? AS b -- one; two\n; ", args: ["z;"] });
    expect(rows[0]).toMatchObject({ a: ";", b: "z;" });
  });

  test.each([
    ["ATTACH 'other.db' AS other"],
    [";/* a */ /* b */ -- c\n attach 'other.db' AS other"],
    ["VACUUM"],
    ["VACUUM INTO 'copy.db'"],
    ["PRAGMA journal_mode = DELETE"],
    ["PRAGMA main.synchronous(OFF)"],
    ["/* now */ pragma writable_schema = 1"],
    ["EXPLAIN PRAGMA synchronous = OFF"],
    ["EXPLAIN QUERY PLAN PRAGMA synchronous = OFF"],
  ])("%s is refused, because it reaches other files or breaks the server's guarantees", async (sql) => {
    expect(await codeOf((await database()).client().execute(sql))).toBe("BLOCKED");
  });

  test("more statements than the server keeps prepared give their own results, at each repetition", async () => {
    const client = (await database()).client();
    await client.execute("CREATE TABLE t (a)");
    const inserts = Array.from(
      { length: 600 },
      (_, index) => `INSERT INTO t VALUES (${index}) RETURNING a, ${index} AS b`,
    );
    for (let run = 0; run < 2; run++) {
      const results = await client.batch(inserts, "write");
      expect(results.map(({ rows, rowsAffected }) => [rows[0]?.["b"], rowsAffected])).toEqual(
        inserts.map((_, index) => [index, 1]),
      );
    }
  });

  test("a query plan may be read again and again, and leaves no read transaction open", async () => {
    const { client, file } = await database();
    await client().execute("CREATE TABLE t (a INTEGER PRIMARY KEY)");
    const explain = { sql: "EXPLAIN QUERY PLAN SELECT a FROM t WHERE a = ?", args: [1] };
    for (let run = 0; run < 3; run++) expect((await client().execute(explain)).rows).toHaveLength(1);
    await client().execute("INSERT INTO t VALUES (1)");
    const otherProcess = new Database(file);
    // The log can be emptied only when no connection reads.
    expect(otherProcess.query("PRAGMA wal_checkpoint(TRUNCATE)").values()).toEqual([[0, 0, 0]]);
    otherProcess.close();
  });

  test("a setting of one client does not affect the next client", async () => {
    const client = (await database()).client();
    await client.executeMultiple("PRAGMA foreign_keys = OFF; CREATE TEMP TABLE mine (a)");
    expect((await client.execute("PRAGMA foreign_keys")).rows[0]).toMatchObject({ foreign_keys: 1 });
    expect(await codeOf(client.execute("SELECT * FROM mine"))).toBe("SQLITE_ERROR");
  });

  test("the file and its log are accessible only to their owner, also if others had access before", async () => {
    const folder = await mkdtemp(join(tmpdir(), "bellhop-file-"));
    const file = join(folder, "test.db");
    await writeFile(file, "", { mode: 0o644 });
    const server = await startLibsqlServer({ file });
    try {
      await createClient({ url: server.url }).execute("CREATE TABLE t (v)");
      const modes = (await readdir(folder)).map((name) => statSync(join(folder, name)).mode & 0o777);
      expect(modes.length).toBeGreaterThan(1);
      expect(new Set(modes)).toEqual(new Set([0o600]));
    } finally {
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    }
  });

  test("statements and requests are counted", async () => {
    const { client, server } = await database();
    await client().batch(["CREATE TABLE t (a)", "INSERT INTO t VALUES (1)"], "write");
    const [statements, requests] = [server.statementCount(), server.requestCount()];
    await client().execute("SELECT * FROM t");
    expect([server.statementCount() - statements, server.requestCount() - requests]).toEqual([1, 1]);
  });
});

describe("constraints", () => {
  test.each([
    ["INSERT INTO child VALUES (1, 1, 'b', 1)", "SQLITE_CONSTRAINT_PRIMARYKEY"],
    ["INSERT INTO child VALUES (2, 1, 'a', 1)", "SQLITE_CONSTRAINT_UNIQUE"],
    ["INSERT INTO child VALUES (2, 9, 'b', 1)", "SQLITE_CONSTRAINT_FOREIGNKEY"],
    ["INSERT INTO child VALUES (2, 1, NULL, 1)", "SQLITE_CONSTRAINT_NOTNULL"],
    ["INSERT INTO child VALUES (2, 1, 'b', -1)", "SQLITE_CONSTRAINT_CHECK"],
    ["INSERT INTO nowhere VALUES (1)", "SQLITE_ERROR"],
  ])("%s fails with its code and rolls back its batch", async (sql, code) => {
    const client = (await database()).client();
    await client.batch(
      [
        "CREATE TABLE parent (id INTEGER PRIMARY KEY)",
        `CREATE TABLE child (id INTEGER PRIMARY KEY, parent INTEGER REFERENCES parent (id), name TEXT NOT NULL UNIQUE,
                             size INTEGER CHECK (size > 0))`,
        "INSERT INTO parent VALUES (1)",
        "INSERT INTO child VALUES (1, 1, 'a', 1)",
      ],
      "write",
    );
    expect(await codeOf(client.batch(["INSERT INTO parent VALUES (2)", sql], "write"))).toBe(code);
    expect((await client.execute("SELECT id FROM parent")).rows).toHaveLength(1);
  });
});

describe("the client's methods", () => {
  test("an interactive transaction is refused at its first statement, which is rolled back", async () => {
    const client = (await database()).client();
    await client.execute("CREATE TABLE t (a)");
    const transaction = await client.transaction("write");
    expect(await codeOf(transaction.execute("INSERT INTO t VALUES (1)"))).toBe("TRANSACTION_LEFT_OPEN");
    const [before] = await client.batch(["SELECT * FROM t", "INSERT INTO t VALUES (2)"], "write");
    expect(before?.rows).toHaveLength(0);
  });

  test("a batch that reads cannot write, and the next one can", async () => {
    const client = (await database()).client();
    await client.batch(["CREATE TABLE t (a)", "INSERT INTO t VALUES (1)"], "write");
    expect((await client.batch(["SELECT a FROM t"], "read"))[0]?.rows).toHaveLength(1);
    expect(await codeOf(client.batch(["INSERT INTO t VALUES (2)"], "read"))).toBe("SQLITE_READONLY");
    await client.execute("INSERT INTO t VALUES (3)");
    expect((await client.execute("SELECT a FROM t")).rows).toHaveLength(2);
  });

  test("executeMultiple accepts semicolons in triggers, literals and comments, and stops at an error", async () => {
    const client = (await database()).client();
    const script = `
      CREATE TABLE t (a); -- one; two
      CREATE TABLE log (a);
      CREATE TRIGGER tg AFTER INSERT ON t BEGIN
        INSERT INTO log VALUES (CASE WHEN new.a = ';' THEN 'semi' ELSE 'other' END);
        INSERT INTO log VALUES ('end');
      END;
      INSERT INTO t VALUES (';'); /* ; */
      INSERT INTO nowhere VALUES (1);
      INSERT INTO t VALUES ('late');`;
    expect(await codeOf(client.executeMultiple(script))).toBe("SQLITE_ERROR");
    expect((await client.execute("SELECT a FROM log")).rows.map((row) => row["a"])).toEqual(["semi", "end"]);
  });
});
