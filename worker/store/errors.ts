import { LibsqlError } from "@libsql/client/http";
import { DrizzleQueryError } from "drizzle-orm/errors";

/** The meaning of a failed query, decided only here. Drizzle wraps errors, so the whole chain of causes is examined. */

/** The row already exists: a repeated step, or a name that is taken. */
export function isConflict(error: unknown): boolean {
  return chainOf(error).some((cause) => cause instanceof LibsqlError && cause.code.startsWith("SQLITE_CONSTRAINT"));
}

/** The database cannot be reached or is busy. The request itself is fine and may be tried again. */
export function isUnavailable(error: unknown): boolean {
  return chainOf(error).some(
    (cause) =>
      (cause instanceof LibsqlError && UNAVAILABLE.test(cause.code)) ||
      // Thrown by fetch when the connection is refused or breaks.
      (cause instanceof Error &&
        /network connection lost|internal error|fetch failed|ECONNREFUSED|aborted due to timeout/iu.test(
          cause.message,
        )),
  );
}

/** Whether the database failed, rather than an object or another service with the same message. */
export function isOfDatabase(error: unknown): boolean {
  return chainOf(error).some((cause) => cause instanceof LibsqlError || cause instanceof DrizzleQueryError);
}

/** A failure for the log: the first cause's message and the statement's beginning, never its values. */
export function failureMessage(error: unknown): string {
  const chain = chainOf(error);
  const query = chain.find((cause) => cause instanceof DrizzleQueryError)?.query;
  const first = chain.findLast((cause) => !(cause instanceof DrizzleQueryError)) ?? "the query failed";
  const message = first instanceof Error ? first.message : String(first);
  return query === undefined ? message : `${message} (${shortened(query)})`;
}

function shortened(query: string): string {
  return query.length <= SHOWN_STATEMENT_CHARS ? query : `${query.slice(0, SHOWN_STATEMENT_CHARS)}…`;
}

const SHOWN_STATEMENT_CHARS = 80;
const UNAVAILABLE = /^(SQLITE_BUSY|SERVER_ERROR|HRANA_WEBSOCKET_ERROR|HRANA_CLOSED_ERROR|UNKNOWN)/u;

function chainOf(error: unknown): unknown[] {
  const chain: unknown[] = [];
  for (let cause = error; cause !== undefined && cause !== null && chain.length < 10;) {
    chain.push(cause);
    cause = cause instanceof Error ? cause.cause : undefined;
  }
  return chain;
}
