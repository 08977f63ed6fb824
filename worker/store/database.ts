import { SQLiteAsyncDialect } from "drizzle-orm/sqlite-core";
import type { BaseSQLiteDatabase } from "drizzle-orm/sqlite-core";
import type { SQL } from "drizzle-orm";
import { drizzle } from "drizzle-orm/sqlite-proxy";
import type { AsyncBatchRemoteCallback, AsyncRemoteCallback, SqliteRemoteDatabase } from "drizzle-orm/sqlite-proxy";
import { BoundedMap } from "../domain/bounded-map.ts";
import { DatabaseError, sendTransactions } from "./hrana.ts";
import type { SqlParam, SqlResult, SqlText, SqlValue, Transaction } from "./hrana.ts";
import { WriteLimiter } from "./write-limiter.ts";
import { Writer } from "./writer.ts";

const QUERY_TIMEOUT_MS = 15_000;

/** Builds and runs queries. Every write goes through the isolate's limiter. */
export type Database = BaseSQLiteDatabase<"async", { rowsAffected: number }, Record<string, never>> & {
  /** Reads from one moment. A batch of writes is a `writeBatch`. */
  batch: SqliteRemoteDatabase["batch"];
  read(statements: readonly SqlText[]): Promise<readonly SqlResult[]>;
  write(statements: readonly SqlText[]): Promise<readonly SqlResult[]>;
};

/** A statement that drizzle has built and not run. */
export interface Statement {
  toSQL(): { sql: string; params: unknown[] };
}

interface DatabaseAddress {
  url: string;
  token?: string | null;
  /** The binding that leads to the database; the network when absent. */
  through?: Fetcher | undefined;
  /** See `Writer`. */
  keepAlive?: (work: Promise<unknown>) => void;
}

/** One for each database of the isolate: a process of tests has many. */
const limiters = new BoundedMap<string, WriteLimiter>(100);

/** For one object or one request: its writes are sent in their order. */
export function openDatabase(
  { url, token = null, through, keepAlive = () => undefined }: DatabaseAddress,
  queryTimeoutMs = QUERY_TIMEOUT_MS,
): Database {
  const address = { url, token, through, limitMs: queryTimeoutMs };
  const send = (transactions: readonly Transaction[]) => sendTransactions(address, transactions);
  const limiter = limiters.get(url) ?? new WriteLimiter();
  limiters.set(url, limiter);
  const writer = new Writer({ send, limiter, now: Date.now, keepAlive });
  const read = async (statements: readonly SqlText[]) => {
    const [outcome] = await send([{ mode: "read", statements }]);
    if (outcome === undefined || outcome instanceof DatabaseError) throw outcome ?? new Error("no answer");
    return outcome;
  };
  const write = (statements: readonly SqlText[]) => writer.write(statements);
  const run = async (sql: string, params: unknown[], method: string): Promise<unknown> => {
    const statement = [{ sql, params: params.map(toParam) }];
    const [result] = await (isRead(sql) ? read(statement) : write(statement));
    const { rows = [], rowsAffected = 0 } = result ?? {};
    return { rows: method === "get" ? rows[0] : rows, rowsAffected };
  };
  const readAll = async (queries: readonly { sql: string; params: unknown[] }[]): Promise<unknown> => {
    if (!queries.every(({ sql }) => isRead(sql))) throw new TypeError("a batch of reads contains a write");
    const results = await read(queries.map(({ sql, params }) => ({ sql, params: params.map(toParam) })));
    return results;
  };
  // Drizzle's types know neither the single row that its `get` takes nor the count of changed rows.
  const db = drizzle(run as AsyncRemoteCallback, readAll as AsyncBatchRemoteCallback) as unknown as Database;
  return Object.assign(db, { read, write });
}

/** Runs statements as one transaction, all or none. */
export function writeBatch(db: Database, statements: readonly Statement[]): Promise<readonly SqlResult[]> {
  return db.write(statements.map(toText));
}

/** How many rows the statements of a batch changed. */
export function rowsOfAll(results: readonly SqlResult[]): number {
  return results.reduce((sum, { rowsAffected }) => sum + rowsAffected, 0);
}

export type Row = Record<string, SqlValue>;

/** The rows of each query by the names of its columns, all from one moment. */
export async function readRows(db: Database, queries: readonly SQL[]): Promise<Row[][]> {
  const results = await db.read(queries.map((query) => toText({ toSQL: () => dialect.sqlToQuery(query) })));
  return results.map(rowsOf);
}

export function rowsOf({ columns, rows }: SqlResult): Row[] {
  return rows.map((row) => Object.fromEntries(row.map((value, index) => [columns[index] ?? "", value])));
}

const dialect = new SQLiteAsyncDialect();

function isRead(sql: string): boolean {
  return /^\s*select\b/iu.test(sql);
}

function toText(statement: Statement): SqlText {
  const { sql, params } = statement.toSQL();
  return { sql, params: params.map(toParam) };
}

function toParam(param: unknown): SqlParam {
  if (param === null || typeof param === "string" || typeof param === "number") return param;
  if (typeof param === "bigint" || typeof param === "boolean") return param;
  if (param instanceof ArrayBuffer || param instanceof Uint8Array) return param;
  throw new TypeError(`a column encoder gave a ${typeof param}, which libSQL cannot store`);
}
