import { afterEach, describe, expect, test } from "bun:test";
import { Connection } from "../../scripts/libsql-server/connection.ts";
import { LibsqlDatabase } from "../../scripts/libsql-server/database.ts";
import { LogSync } from "../../scripts/libsql-server/log-sync.ts";
import { startTestLibsql, type TestLibsql } from "../support/libsql.ts";

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

describe("concurrent clients", () => {
  test("lose no update, whether they write in batches or in single statements", async () => {
    const libsql = await database();
    await libsql.client().execute("INSERT INTO t VALUES (0)");
    const inBatch = () => libsql.client().batch(["UPDATE t SET a = a + 1", "SELECT a FROM t"], "write");
    const alone = () => libsql.client().execute("UPDATE t SET a = a + 1");
    await Promise.all(Array.from({ length: 60 }, (_, index) => (index % 3 === 0 ? alone() : inBatch())));
    expect(await valuesIn(libsql)).toEqual([60]);
  });

  test("that abort 40 requests leave the server, and one client with concurrency: Infinity, free", async () => {
    const libsql = await database();
    const aborting = new AbortController();
    const shared = libsql.client({ fetch: neverSettlingOnce(aborting.signal) });
    for (let count = 0; count < 40; count++) {
      // These requests are not awaited: as in workerd, the caller is gone.
      void shared.execute("INSERT INTO t VALUES ('aborted')");
    }
    aborting.abort();
    await shared.execute("INSERT INTO t VALUES ('after')");
    expect(await valuesIn(libsql)).toContain("after");
  });
});

test("a stopping server refuses what comes later, and keeps what it answered", async () => {
  const libsql = await database();
  const opened = new LibsqlDatabase(libsql.file, "normal");
  const insert = JSON.stringify({ requests: [{ type: "execute", stmt: { sql: "INSERT INTO t VALUES (1)" } }] });
  await opened.answer(insert);
  opened.beginStop();
  await expect(opened.answer(insert)).rejects.toMatchObject({ code: "STOPPING", httpStatus: 503 });
  opened.close();
  expect(await valuesIn(libsql)).toEqual([1]);
});

describe("the sync of the log", () => {
  test.each<[string[], number]>([
    [["INSERT INTO t VALUES (1)"], 1],
    [["BEGIN IMMEDIATE", "INSERT INTO t VALUES (1)", "INSERT INTO t VALUES (2)", "COMMIT"], 1],
    [["BEGIN", "INSERT INTO t VALUES (1)", "COMMIT"], 1],
    [["SAVEPOINT s", "INSERT INTO t VALUES (1) RETURNING a", "RELEASE s"], 1],
    [["CREATE TABLE u (a)"], 1],
    [["BEGIN", "SELECT * FROM t", "COMMIT", "SELECT 1"], 0],
  ])("is due after the request %p: %i times", async (statements, commits) => {
    const { file } = await database();
    const state = { file, statementCount: 0, commitCount: 0 };
    const connection = new Connection(state);
    for (const sql of statements) connection.execute({ sql, args: [], wantRows: true });
    expect([connection.endRequest(), state.commitCount]).toEqual([false, commits]);
    connection.close();
  });

  test("comes before the answer to a write, and to a read that saw the write", async () => {
    const { file } = await database();
    const synced = Promise.withResolvers<void>();
    const opened = new LibsqlDatabase(file, "full", {
      openLog: () => ({ sync: () => synced.promise, close: () => {} }),
    });
    const answered: string[] = [];
    const send = async (sql: string) => {
      const body = JSON.stringify({ requests: [{ type: "execute", stmt: { sql } }, { type: "close" }] });
      await opened.answer(body);
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
