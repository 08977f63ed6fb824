import { expect, test } from "bun:test";
import { isConflict, isTokenRefused, isUnavailable } from "../../../worker/store/errors.ts";
import { clientOf, errorOf, idsIn, inserts, onEachDatabase, TABLE } from "../../support/each-database.ts";

/** Errors and ends of a libSQL server (docs/design/databases.md). */
onEachDatabase((start) => {
  test.each([
    ["a primary key that exists", "INSERT INTO child VALUES (1, 1, 'b', 1)"],
    ["a unique value that exists", "INSERT INTO child VALUES (2, 1, 'a', 1)"],
    ["a foreign key without its row", "INSERT INTO child VALUES (2, 9, 'b', 1)"],
    ["a missing value", "INSERT INTO child VALUES (2, 1, NULL, 1)"],
    ["a refused value", "INSERT INTO child VALUES (2, 1, 'b', -1)"],
  ])("%s is a conflict, alone and in a batch", async (_, sql) => {
    const { client } = await start(
      "CREATE TABLE parent (id INTEGER PRIMARY KEY)",
      `CREATE TABLE child (id INTEGER PRIMARY KEY, parent INTEGER REFERENCES parent (id), name TEXT NOT NULL UNIQUE,
                           size INTEGER CHECK (size > 0))`,
      "INSERT INTO parent VALUES (1)",
      "INSERT INTO child VALUES (1, 1, 'a', 1)",
    );
    const ways = [() => client.execute(sql), () => client.batch(["INSERT INTO parent VALUES (2)", sql], "write")];
    for (const way of ways) {
      const error = await errorOf(way());
      expect([isConflict(error), isUnavailable(error)]).toEqual([true, false]);
    }
    expect((await client.execute("SELECT id FROM parent")).rows).toHaveLength(1);
  });

  test("an error of the program is neither a conflict nor unavailable", async () => {
    const { client } = await start();
    for (const sql of ["INSERT INTO nowhere VALUES (1)", "SELEKT 1", "SELECT 1; SELECT 2"]) {
      const error = await errorOf(client.execute(sql));
      expect([sql, isConflict(error), isUnavailable(error)]).toEqual([sql, false, false]);
    }
  });

  test("a request beyond the server's limits is refused for good", async () => {
    const { client } = await start(TABLE);
    const error = await errorOf(client.execute({ sql: "INSERT INTO t VALUES (1, ?)", args: ["x".repeat(20_000_000)] }));
    expect([isConflict(error), isUnavailable(error), isTokenRefused(error)]).toEqual([false, false, false]);
    expect(await idsIn(client)).toEqual([]);
  });

  test("a restart keeps every row", async () => {
    const { server, client } = await start(TABLE);
    await client.batch(inserts(0, 3), "write");
    await server.stop();
    await server.start();
    expect(await idsIn(client)).toEqual([0, 1, 2]);
    await client.batch(inserts(3, 1), "write");
  });

  test("a kill under load loses no answered batch and keeps no half of one", async () => {
    const { server, client } = await start(TABLE);
    const answered: number[] = [];
    const enough = Promise.withResolvers<void>();
    let next = 0;
    const write = async (): Promise<void> => {
      const id = next++;
      await client.batch(inserts(id * 4, 4), "write");
      if (answered.push(id) === 200) enough.resolve();
      return write();
    };
    const writers = Array.from({ length: 4 }, () => errorOf(write()));
    await enough.promise;
    await server.kill();
    for (const error of await Promise.all(writers)) expect([isUnavailable(error), error]).toEqual([true, error]);
    await server.start();
    const stored = new Set(await idsIn(client));
    const partsOf = (id: number) => [0, 1, 2, 3].filter((part) => stored.has(id * 4 + part)).length;
    expect(answered.filter((id) => partsOf(id) !== 4)).toEqual([]);
    expect(Array.from({ length: next }, (_, id) => partsOf(id)).filter((parts) => parts % 4 !== 0)).toEqual([]);
  });

  test("only the right token opens it; another one is unavailable, and known as the token's fault", async () => {
    const { server, client } = await start(TABLE);
    const forged = `${server.token.slice(0, -8)}AAAAAAAA`;
    for (const token of [null, "wrong", forged]) {
      const error = await errorOf(clientOf({ url: server.url, token }).execute("SELECT id FROM t"));
      expect([isTokenRefused(error), isUnavailable(error), isConflict(error)]).toEqual([true, true, false]);
    }
    expect(await idsIn(client)).toEqual([]);
  });

  test("a server that has stopped is unavailable", async () => {
    const { server, client } = await start(TABLE);
    await server.stop();
    for (const way of [() => client.execute("SELECT id FROM t"), () => client.batch(inserts(0, 1), "write")]) {
      const error = await errorOf(way());
      expect([isUnavailable(error), isConflict(error), isTokenRefused(error)]).toEqual([true, false, false]);
    }
  });
});
