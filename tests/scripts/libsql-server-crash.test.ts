import { Database } from "bun:sqlite";
import { afterEach, expect, test } from "bun:test";
import { mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Client, createClient } from "@libsql/client/web";
import { eventually } from "../support/eventually.ts";
import { type LibsqlProcess, startLibsqlProcess } from "../support/libsql-process.ts";

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

async function newFile(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "libsql-crash-"));
  cleanups.push(() => rm(folder, { recursive: true, force: true }));
  return join(folder, "made", "here", "test.db");
}

async function start(file: string): Promise<{ server: LibsqlProcess; client: Client }> {
  const server = await startLibsqlProcess(file);
  cleanups.push(() => server.end("SIGKILL"));
  return { server, client: createClient({ url: server.url, concurrency: Infinity }) };
}

const outcome = (promise: Promise<unknown>) =>
  promise.then(
    () => "answered",
    () => "unanswered",
  );

test("a crash in the middle of a batch keeps no part of the batch and every earlier answered write", async () => {
  const file = await newFile();
  const { server, client } = await start(file);
  await client.executeMultiple("CREATE TABLE ledger (id TEXT PRIMARY KEY); CREATE TABLE bulk (bytes BLOB);");
  for (let id = 0; id < 50; id++) {
    await client.batch([`INSERT INTO ledger VALUES ('${id}a')`, `INSERT INTO ledger VALUES ('${id}b')`], "write");
  }
  const logBefore = await logSize(file);
  const endless =
    "WITH RECURSIVE n AS (SELECT 1 UNION ALL SELECT 1 FROM n) INSERT INTO bulk SELECT randomblob(2000) FROM n";
  const crashed = outcome(client.batch(["INSERT INTO ledger VALUES ('crashed')", endless], "write"));
  // Uncommitted changes reach the log only when they outgrow the cache, so the batch is half done now.
  await eventually("the batch to be in the middle", async () => (await logSize(file)) > logBefore + 8_000_000);
  await server.end("SIGKILL");
  expect(await crashed).toBe("unanswered");

  const { client: after } = await start(file);
  const [ledger, bulk] = await after.batch(["SELECT id FROM ledger", "SELECT 1 FROM bulk"], "read");
  expect([ledger?.rows.length, bulk?.rows.length]).toEqual([100, 0]);
  expect((await after.execute("PRAGMA integrity_check")).rows[0]).toMatchObject({ integrity_check: "ok" });
  await after.batch(["INSERT INTO ledger VALUES ('crashed')"], "write");
});

test.each(["SIGTERM", "SIGINT"] as const)("%s ends the server with its log moved into the file", async (signal) => {
  const file = await newFile();
  const { server, client } = await start(file);
  await client.batch(["CREATE TABLE t (a)", "INSERT INTO t VALUES (1)"], "write");
  // With another process on the file, SQLite would not move the log.
  const shell = new Database(file);
  expect(shell.query("SELECT a FROM t").values()).toEqual([[1]]);
  expect(await server.end(signal)).toBe(0);
  expect(await logSize(file)).toBe(0);
  shell.close();
  const { client: after } = await start(file);
  expect((await after.execute("SELECT a FROM t")).rows.map((row) => row["a"])).toEqual([1]);
});

test("a file that is not a database, a taken port and a wrong option end the start with a reason", async () => {
  const file = await newFile();
  const { server } = await start(file);
  const noDatabase = `${file}.txt`;
  await writeFile(noDatabase, "no database ".repeat(1_000));
  await expect(startLibsqlProcess(noDatabase)).rejects.toThrow("file is not a database");
  await expect(startLibsqlProcess(`${file}.2`, ["--port", new URL(server.url).port])).rejects.toThrow("in use");
  await expect(startLibsqlProcess(`${file}.3`, ["--synchronous", "off"])).rejects.toThrow("usage");
});

async function logSize(file: string): Promise<number> {
  try {
    return (await stat(`${file}-wal`)).size;
  } catch {
    return 0;
  }
}
