import { afterEach, describe, expect, test } from "bun:test";
import type { Config } from "@libsql/client/web";
import { Connection } from "../../scripts/libsql-server/connection.ts";
import { HranaDatabase } from "../../scripts/libsql-server/hrana-database.ts";
import { LogSync } from "../../scripts/libsql-server/log-sync.ts";
import { WriterGate } from "../../scripts/libsql-server/writer-gate.ts";
import { startLibsqlServer } from "../../scripts/libsql-server/server.ts";
import { eventually } from "../support/eventually.ts";
import { codeOf, startTestLibsql, type TestLibsql } from "../support/libsql.ts";

const started: TestLibsql[] = [];
afterEach(async () => {
  for (const database of started.splice(0)) await database.dispose();
});

/** A server with one table, `t (a)`. */
async function database(options?: Parameters<typeof startTestLibsql>[0]): Promise<TestLibsql> {
  const fresh = await startTestLibsql(options);
  started.push(fresh);
  await fresh.client().execute("CREATE TABLE t (a)");
  return fresh;
}

async function valuesIn({ client }: TestLibsql): Promise<unknown[]> {
  return (await client().execute("SELECT a FROM t ORDER BY a")).rows.map((row) => row["a"]);
}

describe("while a transaction is open", () => {
  test("reads continue and see the state before it", async () => {
    const libsql = await database();
    const transaction = await libsql.client().transaction("write");
    await transaction.execute("INSERT INTO t VALUES (1)");
    expect(await valuesIn(libsql)).toEqual([]);
    const { results } = await libsql.pipeline([
      { type: "execute", stmt: { sql: "WITH x AS (SELECT 1) SELECT replace('a', 'a', 'b') FROM x" } },
      { type: "execute", stmt: { sql: "PRAGMA table_info(t)" } },
      { type: "close" },
    ]);
    expect(results).toMatchObject([{ type: "ok" }, { type: "ok" }, { type: "ok" }]);
    await transaction.commit();
    expect(await valuesIn(libsql)).toEqual([1]);
  });

  test("a write waits for the end of the transaction and then succeeds", async () => {
    const libsql = await database();
    const transaction = await libsql.client().transaction("write");
    await transaction.execute("INSERT INTO t VALUES (1)");
    const received = libsql.server.requestCount();
    const waiting = [
      libsql.client().execute("INSERT INTO t VALUES (2)"),
      libsql.client().batch(["INSERT INTO t VALUES (3)"], "write"),
      libsql.client().executeMultiple("INSERT INTO t VALUES (4); INSERT INTO t VALUES (5);"),
      libsql.pipeline([
        { type: "store_sql", sql_id: 1, sql: "INSERT INTO t VALUES (6)" },
        { type: "execute", stmt: { sql_id: 1 } },
        { type: "close" },
      ]),
    ];
    await eventually("the writes to wait", () => libsql.server.requestCount() === received + waiting.length);
    expect(await valuesIn(libsql)).toEqual([]);
    await transaction.commit();
    await Promise.all(waiting);
    expect(await valuesIn(libsql)).toEqual([1, 2, 3, 4, 5, 6]);
  });

  test("a write that waits for longer than the limit fails with SQLITE_BUSY and changes nothing", async () => {
    const libsql = await database({ limits: { writeWaitMs: 20 } });
    const transaction = await libsql.client().transaction("write");
    await transaction.execute("INSERT INTO t VALUES (1)");
    expect(await codeOf(libsql.client().execute("INSERT INTO t VALUES (2)"))).toBe("SQLITE_BUSY");
    expect(await codeOf(libsql.client().batch(["INSERT INTO t VALUES (3)"], "write"))).toBe("SQLITE_BUSY");
    // The message is the gate's. SQLite would have waited inside and blocked the whole server.
    await expect(libsql.client().executeMultiple("INSERT INTO t VALUES (4)")).rejects.toThrow("another transaction");
    await transaction.commit();
    expect(await valuesIn(libsql)).toEqual([1]);
  });

  test("a deferred transaction that read before another write fails immediately, because its view is old", async () => {
    const libsql = await database();
    const deferred = await libsql.client().transaction("deferred");
    await deferred.execute("SELECT * FROM t");
    await libsql.client().execute("INSERT INTO t VALUES (1)");
    expect(await codeOf(deferred.execute("INSERT INTO t VALUES (2)"))).toBe("SQLITE_BUSY_SNAPSHOT");
    deferred.close();
    await libsql.client().execute("INSERT INTO t VALUES (3)");
    expect(await valuesIn(libsql)).toEqual([1, 3]);
  });
});

describe("an abandoned transaction", () => {
  test("is rolled back after the idle limit: the next write succeeds, and its client gets the reason", async () => {
    const libsql = await database({ limits: { streamIdleMs: 50 } });
    const abandoned = await libsql.client().transaction("write");
    await abandoned.execute("INSERT INTO t VALUES ('abandoned')");
    await libsql.client().batch(["INSERT INTO t VALUES ('next')"], "write");
    expect(await valuesIn(libsql)).toEqual(["next"]);
    expect(await codeOf(abandoned.execute("INSERT INTO t VALUES ('late')"))).toBe("STREAM_EXPIRED");
    expect(await valuesIn(libsql)).toEqual(["next"]);
  });

  test("does not prevent the server from stopping, and leaves no changes in the file", async () => {
    const libsql = await database();
    const abandoned = await libsql.client().transaction("write");
    await abandoned.execute("INSERT INTO t VALUES ('abandoned')");
    const waiting = codeOf(libsql.client().execute("INSERT INTO t VALUES ('waiting')"));
    await eventually("the write to wait", () => libsql.server.requestCount() === 3);
    await libsql.server.stop();
    expect(await waiting).toBe("STOPPING");
    const again = await startLibsqlServer({ file: libsql.file });
    expect((await libsql.client({ url: again.url }).execute("SELECT * FROM t")).rows).toHaveLength(0);
    await libsql.client({ url: again.url }).execute("INSERT INTO t VALUES ('after')");
    await again.stop();
  });
});

describe("concurrent clients", () => {
  test("lose no update, with and without transactions", async () => {
    const libsql = await database();
    await libsql.client().execute("INSERT INTO t VALUES (0)");
    const inTransaction = async () => {
      const transaction = await libsql.client().transaction("write");
      const { rows } = await transaction.execute("SELECT a FROM t");
      await transaction.execute({ sql: "UPDATE t SET a = ?", args: [Number(rows[0]?.["a"]) + 1] });
      await transaction.commit();
    };
    const inBatch = () => libsql.client().batch(["UPDATE t SET a = a + 1"], "write");
    await Promise.all(Array.from({ length: 60 }, (_, index) => (index % 3 === 0 ? inTransaction() : inBatch())));
    expect(await valuesIn(libsql)).toEqual([60]);
  });

  test.each<[string, boolean]>([
    ["one client with concurrency: Infinity", true],
    ["a new client for each", false],
  ])("whose 40 waiting requests are aborted leave the server free: %s", async (_, isShared) => {
    const libsql = await database();
    const holder = await libsql.client().transaction("write");
    await holder.execute("INSERT INTO t VALUES ('holder')");
    const aborting = new AbortController();
    const config: Partial<Config> = { fetch: neverSettlingOnce(aborting.signal) };
    const shared = libsql.client(config);
    const received = libsql.server.requestCount();
    for (let count = 0; count < 40; count++) {
      // These requests are not awaited: as in workerd, the caller is gone.
      void (isShared ? shared : libsql.client(config)).execute("INSERT INTO t VALUES ('aborted')");
    }
    await eventually("40 writes to wait", () => libsql.server.requestCount() === received + 40);
    aborting.abort();
    await holder.commit();
    await (isShared ? shared : libsql.client()).execute("INSERT INTO t VALUES ('after')");
    expect(await valuesIn(libsql)).toEqual(expect.arrayContaining(["after", "holder"]));
    expect((await libsql.client().transaction("write")).closed).toBe(false);
  });
});

describe("the sync of the log", () => {
  test.each<[string[], number]>([
    [["INSERT INTO t VALUES (1)"], 1],
    [["BEGIN IMMEDIATE", "INSERT INTO t VALUES (1)", "INSERT INTO t VALUES (2)"], 0],
    [["BEGIN", "INSERT INTO t VALUES (1)", "COMMIT"], 1],
    [["SAVEPOINT s", "INSERT INTO t VALUES (1)", "RELEASE s"], 1],
    [["BEGIN", "SELECT * FROM t", "COMMIT", "SELECT 1"], 0],
  ])("is due after %p: %i times", async (statements, commits) => {
    const { file } = await database();
    const state = { file, statementCount: 0, commitCount: 0 };
    const connection = new Connection(state);
    for (const sql of statements) {
      connection.execute(sql, { source: { sql }, args: [], namedArgs: [], wantRows: true }, true);
    }
    expect(state.commitCount).toBe(commits);
    connection.close();
  });

  test("comes before the answer to a write, and to a read that saw the write", async () => {
    const { file } = await database();
    const synced = Promise.withResolvers<void>();
    const opened = new HranaDatabase(
      { file, synchronous: "full", streamIdleMs: 60_000, writeWaitMs: 60_000 },
      { openLog: () => ({ sync: () => synced.promise, close: () => {} }) },
    );
    const answered: string[] = [];
    const send = async (sql: string) => {
      const body = JSON.stringify({ requests: [{ type: "execute", stmt: { sql } }, { type: "close" }] });
      await opened.answer(body, new AbortController());
      answered.push(sql);
    };
    await send("SELECT 1");
    const both = [send("INSERT INTO t VALUES (1)"), send("SELECT a FROM t")];
    // Now only the sync can delay these answers.
    await new Promise(setImmediate);
    expect(answered).toEqual(["SELECT 1"]);
    synced.resolve();
    await Promise.all(both);
    expect(answered).toHaveLength(3);
    opened.close();
  });

  test("covers every commit before its start, and no later commit", async () => {
    const state = { file: "", statementCount: 0, commitCount: 0 };
    const syncs: PromiseWithResolvers<void>[] = [];
    const log = new LogSync(state, () => {
      const sync = Promise.withResolvers<void>();
      syncs.push(sync);
      return sync.promise;
    });
    const answered: string[] = [];
    const commit = async (name: string) => {
      state.commitCount++;
      await log.catchUp();
      answered.push(name);
    };
    const commits = [commit("first"), commit("second"), commit("third")];
    expect([syncs.length, log.isBehind]).toEqual([1, true]);
    syncs[0]?.resolve();
    await commits[0];
    expect([answered, syncs.length]).toEqual([["first"], 2]);
    syncs[1]?.resolve();
    await Promise.all(commits);
    expect([answered, syncs.length, log.isBehind]).toEqual([["first", "second", "third"], 2, false]);
  });

  test("is not repeated after a failure, because the disk may have dropped unwritten data", async () => {
    const state = { file: "", statementCount: 0, commitCount: 1 };
    const log = new LogSync(state, () => Promise.reject(new Error("EIO")));
    state.commitCount++;
    await expect(log.catchUp()).rejects.toThrow("EIO");
    state.commitCount++;
    await expect(log.catchUp()).rejects.toThrow("EIO");
  });
});

describe("the writer gate", () => {
  const [first, second, third] = [{ name: "first" }, { name: "second" }, { name: "third" }];
  const never = new AbortController().signal;

  test("admits writers one after the other, in the order of their arrival", async () => {
    const gate = new WriterGate();
    gate.hold(first);
    const order: string[] = [];
    const entered = [second, third].map(async (owner) => {
      order.push(`${owner.name} ${await gate.enter(owner, 60_000, never)}`);
      gate.release(owner);
    });
    expect([first, second].map((owner) => gate.isOpenTo(owner))).toEqual([true, false]);
    gate.release(second);
    expect(gate.isOpenTo(third)).toBe(false);
    gate.release(first);
    await Promise.all(entered);
    expect(order).toEqual(["second entered", "third entered"]);
    expect(gate.isOpenTo(second)).toBe(true);
  });

  test("forgets aborted and late writers, and all writers when it closes", async () => {
    const gate = new WriterGate();
    gate.hold(first);
    const aborting = new AbortController();
    const aborted = gate.enter(second, 60_000, aborting.signal);
    const late = gate.enter(second, 1, never);
    aborting.abort();
    expect([await aborted, await late]).toEqual(["aborted", "timed-out"]);
    expect(await gate.enter(second, 60_000, aborting.signal)).toBe("aborted");
    gate.release(first);
    expect(gate.isOpenTo(third)).toBe(true);
    gate.hold(third);
    const sentAway = gate.enter(first, 60_000, never);
    gate.close();
    expect([await sentAway, await gate.enter(second, 60_000, never)]).toEqual(["closed", "closed"]);
  });
});

/** Fetches until the signal. A request under way then never settles, like a cancelled request in workerd. */
function neverSettlingOnce(signal: AbortSignal): (request: Request) => Promise<Response> {
  return async (request) => {
    if (signal.aborted) return fetch(request);
    try {
      return await fetch(request, { signal });
    } catch (error) {
      if (signal.aborted) return new Promise<Response>(() => {});
      throw error;
    }
  };
}
