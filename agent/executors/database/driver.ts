import type { Programs } from "../../programs/program.ts";
import type { ConnectionConfig } from "../../../schema/contract/connection.ts";
import type { JsonObject } from "../../../schema/contract/json.ts";
import type { BoundSql, SqlPlaceholders } from "../../../schema/contract/sql-values.ts";

export interface DatabaseTarget {
  config: ConnectionConfig<"database">;
  /** What a message must not cut in two: the credential in the forms that the mask knows. */
  secrets: readonly string[];
  /** Null for sqlite. */
  login: { username: string; password: string } | null;
  /** What is left of the job's time; the server is told, too. */
  timeoutMs: number;
  /** Aborted on time-out, cancel and shutdown: the driver then cancels the statement on the server. */
  signal: AbortSignal;
  /** Whether the server must refuse to write. */
  readOnly: boolean;
  /** For a database that is a file. */
  programs: Programs;
}

export interface QueryResult {
  /** Values as JSON can hold them; see `toJsonValue`. */
  rows: JsonObject[];
  /** The columns' names, in order; as keys of `rows` they may stand otherwise. */
  columns?: readonly string[];
  /** Rows the statement gave or changed, as far as the server says; with a cap, those that were read. */
  rowCount: number;
  /** More rows came than were kept. */
  truncated: boolean;
}

/** One open connection to a database. */
export interface DatabaseSession {
  /**
   * Sends the statement with its parameters beside it, never in its text; keeps at most `maxRows` rows, streamed. The rest is
   * not fetched when the target is `readOnly`; otherwise it is read and dropped, so that no effect of the statement is lost.
   */
  query(sql: BoundSql, maxRows: number): Promise<QueryResult>;
  /** What the connection test shows, such as "PostgreSQL 15.18". */
  version(): Promise<string>;
  close(): Promise<void>;
}

/**
 * A database's driver, one file each beside this one, loaded on first use. Every failure is an `ExecutorFailure`:
 * `unreachable`, `tls_error`, `authentication_failed`, `query_failed` (the server refused the statement), `read_only`,
 * `connection_lost`, `invalid_config`, `job_ended`.
 */
export interface DatabaseDriver {
  placeholders: SqlPlaceholders;
  /** `passed` is told of each stage as it is done: "TCP connection", "TLS", "Authentication". */
  connect(target: DatabaseTarget, passed?: (stage: string, detail: string) => void): Promise<DatabaseSession>;
}
