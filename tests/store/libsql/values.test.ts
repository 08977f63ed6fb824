import { expect, test } from "bun:test";
import type { InValue } from "@libsql/client/web";
import { migrateDatabase } from "../../../scripts/migrate-database.ts";
import { isConflict } from "../../../worker/store/errors.ts";
import { errorOf, onEachDatabase, TABLE } from "../../support/each-database.ts";

/** Values and the schema in a libSQL server (docs/design/databases.md). */
onEachDatabase((start) => {
  test.each<[string, InValue]>([
    ["the smallest 64-bit integer", -(2n ** 63n)],
    ["the largest 64-bit integer", 2n ** 63n - 1n],
    ["an integer that no double can represent", 2n ** 53n + 1n],
    ["null", null],
    ["an empty text", ""],
    ["text of every plane", "naïve – 日本語 – 🛎️"],
    ["a quoted text", `it's "quoted" \\ \n`],
    ["a text of 1.5 MB", "a line of an output\n".repeat(75_000)],
    ["a fraction", 0.1],
    ["a whole number beyond 32 bits", 1_790_000_000_000n],
    ["an empty blob", new Uint8Array(0)],
    ["a blob with every byte", Uint8Array.from({ length: 256 }, (_, index) => index)],
    ["a blob of 2 MB", new Uint8Array(2_000_000).fill(0xa5)],
  ])("%s comes back unchanged", async (_, value) => {
    const { server } = await start("CREATE TABLE kept (v)");
    const client = server.client({ intMode: "bigint" });
    await client.batch([{ sql: "INSERT INTO kept VALUES (?)", args: [value] }], "write");
    const stored = (await client.execute("SELECT v FROM kept")).rows[0]?.["v"];
    const comparable = stored instanceof ArrayBuffer ? new Uint8Array(stored) : stored;
    expect(Bun.deepEquals(comparable, value)).toBe(true);
  });

  test("half a surrogate pair is replaced, and the other writes of its request are not affected", async () => {
    const { client } = await start("CREATE TABLE kept (v)");
    const texts = ["before", "half \ud83d", "after"];
    await Promise.all(texts.map((text) => client.execute({ sql: "INSERT INTO kept VALUES (?)", args: [text] })));
    const rows = await client.batch(["SELECT v FROM kept ORDER BY rowid"], "read");
    expect(rows[0]?.rows.map((row) => row["v"])).toEqual(["before", "half \ufffd", "after"]);
  });

  test("a statement that was prepared before a schema change returns the new columns", async () => {
    const { server, client } = await start(TABLE, "INSERT INTO t VALUES (1, NULL)");
    await client.execute("SELECT * FROM t");
    await server.client().execute("ALTER TABLE t ADD COLUMN added TEXT DEFAULT 'new'");
    expect((await client.execute("SELECT * FROM t")).rows[0]).toMatchObject({ id: 1, added: "new" });
  });

  test("the migrations run, and change nothing the second time", async () => {
    const { server } = await start();
    const client = server.client();
    const state = async () => {
      await migrateDatabase({ url: server.url, authToken: server.token });
      const [schema, migrations] = await client.batch(
        ["SELECT name, sql FROM sqlite_schema ORDER BY name", "SELECT hash FROM __drizzle_migrations"],
        "read",
      );
      return [schema?.rows.map(String), migrations?.rows.map(String)];
    };
    const first = await state();
    expect(first[1]?.length).toBeGreaterThan(0);
    expect(await state()).toEqual(first);
  });

  test("a table that others refer to can be rebuilt, and foreign keys count again afterwards", async () => {
    const { server, client } = await start(
      "CREATE TABLE parent (id INTEGER PRIMARY KEY)",
      "CREATE TABLE child (parent INTEGER REFERENCES parent (id) ON DELETE CASCADE)",
      "INSERT INTO parent VALUES (1)",
      "INSERT INTO child VALUES (1)",
    );
    await server
      .client()
      .migrate([
        "CREATE TABLE new_parent (id INTEGER PRIMARY KEY, name TEXT)",
        "INSERT INTO new_parent SELECT id, 'p' FROM parent",
        "DROP TABLE parent",
        "ALTER TABLE new_parent RENAME TO parent",
      ]);
    expect((await client.execute("SELECT parent FROM child")).rows).toHaveLength(1);
    expect(isConflict(await errorOf(client.execute("INSERT INTO child VALUES (9)")))).toBe(true);
  });
});
