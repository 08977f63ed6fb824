import { Database } from "bun:sqlite";
import { afterAll, expect, test } from "bun:test";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createClient } from "@libsql/client/web";
import { copyDatabase } from "../../scripts/service/copy-database.ts";
import { requireStopped } from "../../scripts/service/is-live.ts";
import { SQLD_FILE } from "../../scripts/service/state.ts";
import { startSqld } from "../../scripts/sqld/start-sqld.ts";
import { sqldMissing } from "../support/database-server.ts";
import { eventually } from "../support/eventually.ts";
import { freePort } from "../support/free-port.ts";

const LIMIT_MS = 120_000;
const WRITERS = 4;
const COPIES = 10;
const WRITES_BETWEEN = 20;
/** Each row fills most of a page, so that a copy has many pages and checkpoints happen meanwhile. */
const FILLER = "x".repeat(3_000);

const directory = await mkdtemp(join(tmpdir(), "bellhop-copy-"));
afterAll(() => rm(directory, { recursive: true, force: true }));

test.skipIf(sqldMissing() !== null)(
  "a copy of sqld's file while it is written has whole transactions only, every answered one, and serves on another sqld",
  async () => {
    const state = join(directory, "state");
    const copies = await onSqld(state, async (url) => {
      const client = createClient({ url, concurrency: Infinity });
      await client.batch(["CREATE TABLE a (n INTEGER, filler TEXT)", "CREATE TABLE b (n INTEGER, filler TEXT)"]);
      const answered = new Set<number>();
      let next = 0;
      const copied = new AbortController();
      const writers = Array.from({ length: WRITERS }, async () => {
        while (!copied.signal.aborted) {
          const n = (next += 1);
          const into = (table: string) => ({ sql: `INSERT INTO ${table} VALUES (?, ?)`, args: [n, FILLER] });
          await client.batch([into("a"), into("b")], "write");
          answered.add(n);
        }
      });
      const found: { copy: string; before: number[] }[] = [];
      while (found.length < COPIES) {
        const copy = join(directory, `copy-${found.length}`);
        await eventually("more writes", () => answered.size >= (found.length + 1) * WRITES_BETWEEN);
        const before = [...answered];
        expect(await copyDatabase(join(state, SQLD_FILE), copy)).toBe(true);
        found.push({ copy, before });
      }
      copied.abort();
      await Promise.all(writers);
      expect(() => requireStopped(state)).toThrow("The database is in use");
      return found;
    });
    requireStopped(state);
    for (const { copy, before } of copies) {
      const [a, b] = [numbersIn(copy, "a"), numbersIn(copy, "b")];
      expect(a).toEqual(b);
      expect(before.filter((n) => !a.includes(n))).toEqual([]);
    }

    const [last = ""] = copies.map(({ copy }) => copy).slice(-1);
    const restored = join(directory, "restored");
    await mkdir(dirname(join(restored, SQLD_FILE)), { recursive: true });
    await copyDatabase(last, join(restored, SQLD_FILE));
    await onSqld(restored, async (url) => {
      const client = createClient({ url });
      const { rows } = await client.execute("SELECT count(*) AS found FROM a");
      expect(rows[0]?.["found"]).toBe(numbersIn(last, "a").length);
      await client.execute("INSERT INTO a VALUES (0, '')");
    });
    expect(numbersIn(join(restored, SQLD_FILE), "a")).toContain(0);
  },
  LIMIT_MS,
);

async function onSqld<T>(state: string, use: (url: string) => Promise<T>): Promise<T> {
  const sqld = await startSqld({ directory: join(state, "database/sqld"), port: await freePort() });
  try {
    return await use(sqld.url);
  } finally {
    await sqld.stop();
  }
}

function numbersIn(file: string, table: string): number[] {
  const database = new Database(file);
  try {
    return database
      .query<{ n: number }, []>(`SELECT n FROM ${table} ORDER BY n`)
      .all()
      .map(({ n }) => n);
  } finally {
    database.close();
  }
}
