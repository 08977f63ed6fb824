import { SQLiteError } from "bun:sqlite";

/**
 * A Hrana error, `{message, code}`. `@libsql/client` shows the code as `LibsqlError.code`. `httpStatus` counts only
 * when the whole request is refused; the error of a single statement is part of a 200 response.
 */
export class HranaError extends Error {
  override readonly name = "HranaError";

  constructor(
    readonly code: string,
    message: string,
    readonly httpStatus = 400,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** SQLite's extended code (`SQLITE_CONSTRAINT_PRIMARYKEY`) and its message, in the wording of libSQL's own server. */
export function toHranaError(error: unknown): HranaError {
  if (error instanceof HranaError) return error;
  if (error instanceof SQLiteError) {
    return new HranaError(error.code ?? "SQLITE_ERROR", `SQLite error: ${error.message}`, 500, { cause: error });
  }
  const message = error instanceof Error ? error.message : String(error);
  return new HranaError("INTERNAL_ERROR", `The database server failed: ${message}`, 500, { cause: error });
}

export function malformed(what: string): HranaError {
  return new HranaError("MALFORMED_REQUEST", `Not a valid Hrana pipeline: ${what}`);
}

export function encodeError(error: HranaError): string {
  return JSON.stringify({ message: error.message, code: error.code });
}
