import { DrizzleQueryError } from "drizzle-orm/errors";
import { DatabaseError } from "./hrana.ts";

/** The meaning of a failed query, decided only here. Drizzle wraps errors, so the whole chain of causes is examined. */

/** The row already exists: a repeated step, or a name that is taken. */
export function isConflict(error: unknown): boolean {
  return chainOf(error).some((cause) => cause instanceof DatabaseError && cause.code.startsWith("SQLITE_CONSTRAINT"));
}

/**
 * The database cannot be reached, is busy, or refuses the token. The request itself is fine and may be tried again. How
 * servers say so: docs/design/databases.md#errors.
 */
export function isUnavailable(error: unknown): boolean {
  return chainOf(error).some(
    (cause) =>
      (cause instanceof DatabaseError && (isOverload(cause) || OPERATORS_FAULT.test(cause.code))) ||
      // Of a Durable Object, or another service, that breaks off.
      (cause instanceof Error &&
        /network connection lost|internal error|fetch failed|ECONNREFUSED|ECONNRESET|socket connection was closed|aborted due to timeout/iu.test(
          cause.message,
        )),
  );
}

/** The database had no room for a transaction, or did not answer. Fewer requests may help. */
export function isOverload({ code }: DatabaseError): boolean {
  return OVERLOAD.test(code);
}

/** Whether a failed write may have been committed all the same: ask the database before it is repeated. */
export function mayHaveCommitted(error: unknown): boolean {
  return chainOf(error).some((cause) => cause instanceof DatabaseError && cause.mayHaveCommitted);
}

/** The conflict that a repeated batch would have met. */
export function alreadyCommitted(cause: unknown): DatabaseError {
  return new DatabaseError("SQLITE_CONSTRAINT", "the batch was committed, and its answer was lost", false, { cause });
}

/** The server does not accept DATABASE_AUTH_TOKEN, or the token may not do this: only an operator can change that. */
export function isTokenRefused(error: unknown): boolean {
  return chainOf(error).some((cause) => cause instanceof DatabaseError && TOKEN_REFUSED.test(cause.code));
}

/** Whether the database failed, rather than an object or another service with the same message. */
export function isOfDatabase(error: unknown): boolean {
  return chainOf(error).some((cause) => cause instanceof DatabaseError || cause instanceof DrizzleQueryError);
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
/** The last three are the servers' own: an end of a transaction or stream that waited too long, a server that stops. */
const OVERLOAD =
  /^(SQLITE_BUSY|SQLITE_LOCKED|TIMEOUT|UNREACHABLE|HRANA_ERROR|HTTP_(?:408|429|5\d\d)|TRANSACTION_TIMEOUT|STREAM_EXPIRED|STOPPING)/u;
const TOKEN_REFUSED = /^(?:UNAUTHORIZED|HTTP_40[13])$/u;
/** A refused token, a plan's limit (Turso), an address without a database, or one that redirects. Other refusals, as 400 or 413, are for good. */
const OPERATORS_FAULT = /^(?:UNAUTHORIZED|BLOCKED|HTTP_3\d\d|HTTP_40[134])$/u;

function chainOf(error: unknown): unknown[] {
  const chain: unknown[] = [];
  for (let cause = error; cause !== undefined && cause !== null && chain.length < 10;) {
    chain.push(cause);
    cause = cause instanceof Error ? cause.cause : undefined;
  }
  return chain;
}
