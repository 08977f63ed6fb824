import { SQLiteError } from "bun:sqlite";

/**
 * An error as Hrana carries it, `{message, code}`. The code is what `@libsql/client` shows as `LibsqlError.code`.
 * `httpStatus` counts only where the whole request is refused; the error of a single statement travels in a 200.
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

/** SQLite's extended code (`SQLITE_CONSTRAINT_PRIMARYKEY`) and its text, worded as libSQL's own server words it. */
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
