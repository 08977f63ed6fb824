import { createClient } from "@libsql/client/http";
import type { Client, InStatement, ResultSet } from "@libsql/client/http";
import { drizzle } from "drizzle-orm/libsql/http";
import type { LibSQLDatabase } from "drizzle-orm/libsql";

const QUERY_TIMEOUT_MS = 15_000;

export type Database = LibSQLDatabase<Record<string, never>> & { $client: Client };

/** A statement that drizzle has built and not run. */
export interface Statement {
  toSQL(): { sql: string; params: unknown[] };
}

interface DatabaseAddress {
  url: string;
  token?: string | null;
  /** The binding that leads to the database; the network when absent. */
  through?: Fetcher | undefined;
}

export function openDatabase(
  { url, token = null, through }: DatabaseAddress,
  queryTimeoutMs = QUERY_TIMEOUT_MS,
): Database {
  const client = createClient({
    url,
    ...(token === null ? {} : { authToken: token }),
    // An aborted request keeps its slot for ever, which does no harm without a limit on slots.
    concurrency: Number.POSITIVE_INFINITY,
    // A half-open connection must not hang a request, or an object's turn, for ever.
    fetch: (request: Request) => {
      const limit = { signal: AbortSignal.timeout(queryTimeoutMs) };
      return through === undefined ? fetch(request, limit) : through.fetch(request, limit);
    },
  });
  return drizzle(client);
}

/**
 * Runs statements as one transaction, all or none, which takes the write lock at its start. Drizzle's own `batch`
 * begins deferred and can fail midway when there is another writer.
 */
export function writeBatch(db: Database, statements: readonly Statement[]): Promise<ResultSet[]> {
  return db.$client.batch(statements.map(toInStatement), "write");
}

function toInStatement(statement: Statement): InStatement {
  const { sql, params } = statement.toSQL();
  return { sql, args: params.map(toValue) };
}

function toValue(param: unknown) {
  if (param === null || typeof param === "string" || typeof param === "number") return param;
  if (typeof param === "bigint" || typeof param === "boolean") return param;
  if (param instanceof ArrayBuffer || param instanceof Uint8Array) return param;
  throw new TypeError(`a column encoder gave a ${typeof param}, which libSQL cannot store`);
}
