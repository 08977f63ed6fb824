import { createClient } from "@libsql/client/http";
import type { Client, InStatement, ResultSet } from "@libsql/client/http";
import { drizzle } from "drizzle-orm/libsql/http";
import type { LibSQLDatabase } from "drizzle-orm/libsql";
import type { Env } from "../env.ts";

const QUERY_TIMEOUT_MS = 15_000;

export type Database = LibSQLDatabase<Record<string, never>> & { $client: Client };

/** A statement that drizzle built and has not run. */
export interface Statement {
  toSQL(): { sql: string; params: unknown[] };
}

export function openDatabase(
  env: Pick<Env, "DATABASE_URL" | "DATABASE_AUTH_TOKEN" | "DATABASE">,
  queryTimeoutMs = QUERY_TIMEOUT_MS,
): Database {
  const client = createClient({
    url: env.DATABASE_URL,
    ...(env.DATABASE_AUTH_TOKEN === undefined ? {} : { authToken: env.DATABASE_AUTH_TOKEN }),
    // An aborted request keeps its slot for ever; without a bound on slots that does no harm.
    concurrency: Number.POSITIVE_INFINITY,
    // A half-open connection must not hang a request, or an object's turn, for ever.
    fetch: (request: Request) => {
      const limit = { signal: AbortSignal.timeout(queryTimeoutMs) };
      return env.DATABASE === undefined ? fetch(request, limit) : env.DATABASE.fetch(request, limit);
    },
  });
  return drizzle(client);
}

/**
 * Runs statements as one transaction that takes the write lock at once; all or none. Drizzle's own `batch` begins
 * deferred, which can fail half-way up when another writer is there.
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
