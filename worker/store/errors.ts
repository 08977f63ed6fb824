import { LibsqlError } from "@libsql/client/http";
import { DrizzleQueryError } from "drizzle-orm/errors";

/**
 * What a failed query means. Drizzle wraps the client's errors, so the whole chain of causes is looked at. This is the
 * one place that decides it.
 */

/** A row that must be new was there already: a step told twice, or a name that is taken. */
export function isConflict(error: unknown): boolean {
  return chainOf(error).some((cause) => cause instanceof LibsqlError && cause.code.startsWith("SQLITE_CONSTRAINT"));
}

/** The database cannot be reached or is busy: nothing is wrong with the request, and it may be tried again. */
export function isUnavailable(error: unknown): boolean {
  return chainOf(error).some(
    (cause) =>
      (cause instanceof LibsqlError && UNAVAILABLE.test(cause.code)) ||
      // What fetch throws when nothing listens or the connection breaks.
      (cause instanceof Error &&
        /network connection lost|internal error|fetch failed|ECONNREFUSED|aborted due to timeout/iu.test(
          cause.message,
        )),
  );
}

/** Whether it is the database that failed, and not an object or another service whose failure reads the same. */
export function isOfDatabase(error: unknown): boolean {
  return chainOf(error).some((cause) => cause instanceof LibsqlError || cause instanceof DrizzleQueryError);
}

/**
 * Why something failed, for the log: the words of its first cause, which say more than what was being done, and the
 * beginning of the statement that it was. Never the values of a statement.
 */
export function failureWords(error: unknown): string {
  const chain = chainOf(error);
  const query = chain.find((cause) => cause instanceof DrizzleQueryError)?.query;
  const first = chain.findLast((cause) => !(cause instanceof DrizzleQueryError)) ?? "the query failed";
  const words = first instanceof Error ? first.message : String(first);
  return query === undefined ? words : `${words} (${shortened(query)})`;
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
