import type { Programs } from "../../programs/program.ts";
import type { ConnectionConfig } from "../../../schema/contract/connection.ts";
import type { JsonObject } from "../../../schema/contract/json.ts";
import type { BoundSql, SqlPlaceholders } from "../../../schema/contract/sql-values.ts";

export interface DatabaseTarget {
  config: ConnectionConfig<"database">;
  /** Texts that a message must not cut in two: the credential in the forms that the masker knows. */
  secrets: readonly string[];
  /** Null for sqlite. */
  login: { username: string; password: string } | null;
  /** The rest of the job's time. The server gets a limit, too. */
  timeoutMs: number;
  /** Aborted on time-out, cancel and shutdown. The driver then cancels the statement on the server. */
  signal: AbortSignal;
  /** Whether the server must refuse to write. */
  readOnly: boolean;
  /** For a database that is a file. */
  programs: Programs;
}

export interface QueryResult {
  /** Values as JSON; see `toJsonValue`. */
  rows: JsonObject[];
  /** The columns' names, in order. The keys of `rows` may have another order. */
  columns?: readonly string[];
  /** Rows that were returned or changed, as far as the server says; with a limit, the rows that were read. */
  rowCount: number;
  /** More rows arrived than were kept. */
  truncated: boolean;
}

/** One open connection to a database. */
export interface DatabaseSession {
  /**
   * Sends the statement with separate parameters. Streams the rows and keeps at most `maxRows`. With `readOnly` the
   * rest is not fetched; otherwise it is read and dropped, so that every effect of the statement happens.
   */
  query(sql: BoundSql, maxRows: number): Promise<QueryResult>;
  /** The server's version for the connection test, such as "PostgreSQL 15.18". */
  version(): Promise<string>;
  close(): Promise<void>;
}

/**
 * A database's driver. Each has its own file and is loaded on first use. Every failure is an `ExecutorFailure`:
 * `unreachable`, `tls_error`, `authentication_failed`, `query_failed` (the server refused the statement), `read_only`,
 * `connection_lost`, `invalid_config`, `job_ended`.
 */
export interface DatabaseDriver {
  placeholders: SqlPlaceholders;
  /** `passed` is called after each stage: "TCP connection", "TLS", "Authentication". */
  connect(target: DatabaseTarget, passed?: (stage: string, detail: string) => void): Promise<DatabaseSession>;
}
