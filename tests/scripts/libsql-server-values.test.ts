import { Database } from "bun:sqlite";
import { afterEach, expect, test } from "bun:test";
import type { InValue } from "@libsql/client/web";
import { migrateDatabase } from "../../scripts/migrate-database.ts";
import { startTestLibsql, type TestLibsql } from "../support/libsql.ts";

const started: TestLibsql[] = [];
afterEach(async () => {
  for (const database of started.splice(0)) await database.dispose();
});

async function database(): Promise<TestLibsql> {
  const fresh = await startTestLibsql();
  started.push(fresh);
  return fresh;
}

const cases: [name: string, value: InValue, type: string][] = [
  ["the smallest 64-bit integer", -(2n ** 63n), "integer"],
  ["the largest 64-bit integer", 2n ** 63n - 1n, "integer"],
  ["an integer that no double can represent", 2n ** 53n + 1n, "integer"],
  ["null", null, "null"],
  ["text of every plane", "naïve – 日本語 – 🛎️", "text"],
  ["text with a NUL", "a\0b", "text"],
  ["an empty text", "", "text"],
  ["a quoted text", `it's "quoted" \\ \n`, "text"],
  ["a fraction", 0.1, "real"],
  ["a float beyond 2^53", 1e300, "real"],
  ["a blob with every byte", Uint8Array.from({ length: 256 }, (_, index) => index), "blob"],
  ["a blob of a length that base64 pads", Uint8Array.of(1, 2), "blob"],
  ["an empty blob", new Uint8Array(0), "blob"],
];

test.each(cases)("%s comes back unchanged", async (_, value, type) => {
  const client = (await database()).client({ intMode: "bigint" });
  await client.execute("CREATE TABLE t (v)");
  await client.execute({ sql: "INSERT INTO t VALUES (?)", args: [value] });
  const { rows } = await client.execute("SELECT v, typeof(v) AS type FROM t");
  const stored = rows[0]?.["v"];
  expect<unknown>(stored instanceof ArrayBuffer ? new Uint8Array(stored) : stored).toEqual(value);
  expect(rows[0]?.["type"]).toBe(type);
});

test("a number without a fraction is stored as in libSQL in an INTEGER, REAL or NUMERIC column", async () => {
  const client = (await database()).client();
  await client.execute("CREATE TABLE t (i integer, r real, n numeric, t text)");
  await client.execute({ sql: "INSERT INTO t VALUES (?, ?, ?, ?)", args: [5, 5, 5, "5"] });
  const { rows } = await client.execute(
    "SELECT typeof(i) AS i, typeof(r) AS r, typeof(n) AS n, typeof(t) AS t FROM t WHERE i = 5.0 AND r = 5 AND n = 5.0",
  );
  expect(rows[0]).toMatchObject({ i: "integer", r: "real", n: "integer", t: "text" });
});

test("every column of Bellhop is an INTEGER, or a TEXT that gets only strings", async () => {
  const { server, file } = await database();
  await migrateDatabase({ url: server.url });
  const opened = new Database(file, { readonly: true });
  const types = opened
    .query(
      "SELECT DISTINCT lower(c.type) FROM sqlite_schema s, pragma_table_info(s.name) c WHERE s.type = 'table' AND s.name NOT LIKE '\\_%' ESCAPE '\\'",
    )
    .values();
  opened.close();
  expect(types.flat().toSorted()).toEqual(["integer", "text"]);
});

test("infinity reaches the client, although JSON has no infinity", async () => {
  const { rows } = await (await database()).client().execute("SELECT 9e999 AS up, -9e999 AS down");
  expect(rows[0]).toMatchObject({ up: Infinity, down: -Infinity });
});
