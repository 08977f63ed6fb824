import { describe, expect, test } from "bun:test";
import { isConflict, isUnavailable } from "../../../worker/store/errors.ts";
import { clientOf, errorOf, idsIn, inserts, onEachDatabase, TABLE } from "../../support/each-database.ts";
import type { Client } from "../../support/each-database.ts";

/** Batches and transactions of a libSQL server (docs/design/databases.md). */
onEachDatabase((start) => {
  describe("a write batch", () => {
    test("of three hundred statements is kept as a whole", async () => {
      const { client } = await start(TABLE);
      await client.batch(inserts(0, 300), "write");
      expect(await idsIn(client)).toHaveLength(300);
    });

    test("with a conflict in the middle keeps no statement", async () => {
      const { client } = await start(TABLE, "INSERT INTO t VALUES (150, NULL)");
      const error = await errorOf(client.batch(inserts(0, 300), "write"));
      expect([isConflict(error), isUnavailable(error)]).toEqual([true, false]);
      expect(await idsIn(client)).toEqual([150]);
    });

    test("fails as a conflict when its conditional update matches no row", async () => {
      const { client } = await start(TABLE, "CREATE TABLE audit (id TEXT NOT NULL)", "INSERT INTO t VALUES (1, 'a')");
      const change = (from: string, to: string) =>
        client.batch(
          [
            { sql: "UPDATE t SET v = ? WHERE v = ?", args: [to, from] },
            { sql: "INSERT INTO audit VALUES (case when changes() > 0 then ? end)", args: [to] },
          ],
          "write",
        );
      await change("a", "b");
      expect(isConflict(await errorOf(change("a", "c")))).toBe(true);
      const [row, audit] = await client.batch(["SELECT v FROM t", "SELECT id FROM audit"], "read");
      expect([row?.rows[0]?.["v"], audit?.rows.map((each) => each["id"])]).toEqual(["b", ["b"]]);
    });

    test("returns the rows of a conditional update to its winner alone", async () => {
      const { client } = await start(TABLE, "INSERT INTO t VALUES (1, NULL)");
      const claim = { sql: "UPDATE t SET v = ? WHERE id = 1 AND v IS NULL RETURNING v", args: ["me"] };
      const [won, lost] = [await client.execute(claim), await client.execute(claim)];
      expect([won.rows.length, won.rowsAffected, lost.rows.length, lost.rowsAffected]).toEqual([1, 1, 0, 0]);
    });
  });

  test("a read batch sees one moment, while others write", async () => {
    const { server, client } = await start("CREATE TABLE a (n INTEGER)", "CREATE TABLE b (n INTEGER)");
    await client.batch(["INSERT INTO a VALUES (0)", "INSERT INTO b VALUES (0)"], "write");
    const write = () => client.batch(["UPDATE a SET n = n + 1", "UPDATE b SET n = n + 1"], "write");
    const reader = clientOf(server);
    const seen: unknown[][] = [];
    const read = async () => {
      const [a, b] = await reader.batch(["SELECT n FROM a", "SELECT n FROM b"], "read");
      seen.push([a?.rows[0]?.["n"], b?.rows[0]?.["n"]]);
    };
    await Promise.all([repeated(100, write), repeated(100, read)]);
    expect(seen.filter(([a, b]) => a !== b)).toEqual([]);
  });

  test("a second client reads every write directly after its answer", async () => {
    const { server, client } = await start(TABLE);
    const other = clientOf(server);
    for (let id = 0; id < 50; id += 1) {
      await client.batch(inserts(id, 1), "write");
      expect(await idsIn(other)).toHaveLength(id + 1);
    }
  });

  test("each batch in one pipeline is its own transaction: one that fails leaves the others", async () => {
    const { server, client } = await start(TABLE);
    const results = await server.pipeline([
      transaction("INSERT INTO t VALUES (1, 'first')"),
      transaction("INSERT INTO t VALUES (2, 'second')", "INSERT INTO t VALUES (1, 'second')"),
      transaction("INSERT INTO t VALUES (3, 'third')", "SELECT id FROM t WHERE id = 1"),
      { type: "close" },
    ]);
    const steps = (errors: unknown[]) => ({
      type: "ok",
      response: { type: "batch", result: { step_errors: errors } },
    });
    const conflict = { code: expect.stringMatching(/^SQLITE_CONSTRAINT/u), message: expect.any(String) };
    expect(results).toMatchObject([
      steps([null, null, null, null]),
      steps([null, null, conflict, null, null]),
      steps([null, null, null, null, null]),
      { type: "ok", response: { type: "close" } },
    ]);
    expect(await idsIn(client)).toEqual([1, 3]);
  });

  test("of sixteen writers at once, every batch is committed once or refused as unavailable", async () => {
    const { server, client } = await start(TABLE);
    const answered: number[] = [];
    const write = async (writer: Client, id: number) => {
      const error = await errorOf(writer.batch(inserts(id * 4, 4), "write")).catch(() => null);
      if (error === null) answered.push(id);
      else expect(isUnavailable(error)).toBe(true);
    };
    await Promise.all(
      Array.from({ length: 16 }, async (_, writer) => {
        const own = clientOf(server);
        for (let n = 0; n < 20; n += 1) await write(own, writer * 20 + n);
      }),
    );
    const stored = await idsIn(client);
    expect(answered.length).toBeGreaterThan(0);
    expect(stored).toEqual(
      answered.toSorted((a, b) => a - b).flatMap((id) => [id * 4, id * 4 + 1, id * 4 + 2, id * 4 + 3]),
    );
  });
});

/** A batch that the client's own `batch` would send: each step on condition of the one before. */
function transaction(...statements: string[]): object {
  const after = (step: number) => ({ type: "ok", step });
  const steps: object[] = [{ stmt: { sql: "BEGIN IMMEDIATE" } }];
  for (const sql of [...statements, "COMMIT"]) steps.push({ stmt: { sql }, condition: after(steps.length - 1) });
  steps.push({ stmt: { sql: "ROLLBACK" }, condition: { type: "not", cond: after(steps.length - 1) } });
  return { type: "batch", batch: { steps } };
}

async function repeated(times: number, work: () => Promise<unknown>): Promise<void> {
  for (let n = 0; n < times; n += 1) await work();
}
