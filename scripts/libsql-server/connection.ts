import { Database } from "bun:sqlite";
import { HranaError } from "./errors.ts";
import type { Stmt } from "./hrana.ts";
import { isBlank } from "./sql-kind.ts";
import { type PreparedStatement, StatementCache } from "./statement-cache.ts";
import { encodeValue, type SqlValue } from "./values.ts";

export interface DatabaseState {
  file: string;
  /** Statements executed, BEGIN and COMMIT included. */
  statementCount: number;
  /** Rises with every request that may have written into the log, including failed ones. */
  commitCount: number;
}

/** Only for locks of other processes (a shell, a test): the server's only connection never waits for itself. */
const BUSY_TIMEOUT_MS = 2_000;
const CACHE_KIB = 16 * 1_024;
/** Clients send it before a batch of mode "read". Plain SQLite does not know it. */
const BEGIN_READ_ONLY = "BEGIN TRANSACTION READONLY";
const LAST_CHANGES = "SELECT changes(), last_insert_rowid()";

/** The connection to the file. Runs single statements synchronously and returns Hrana's JSON. */
export class Connection {
  readonly #state: DatabaseState;
  #database: Database;
  #statements: StatementCache;
  #hasWritten = false;
  #isReadOnly = false;

  constructor(state: DatabaseState) {
    this.#state = state;
    this.#database = openFile(state.file);
    this.#statements = new StatementCache(this.#database);
  }

  get inTransaction(): boolean {
    return this.#database.inTransaction;
  }

  /** Call before each request: no request sees the settings of another one. */
  beginRequest(): void {
    if (!this.#statements.hasSettings) return;
    // The new one first: SQLite removes the log when the last connection closes.
    const database = openFile(this.#state.file);
    this.close();
    this.#database = database;
    this.#statements = new StatementCache(database);
  }

  /** Call after each request. Returns whether the request had left a transaction open, which is now rolled back. */
  endRequest(): boolean {
    const { inTransaction } = this.#database;
    if (inTransaction) this.#database.run("ROLLBACK");
    if (this.#isReadOnly) this.#database.run("PRAGMA query_only = OFF");
    if (this.#hasWritten) this.#state.commitCount++;
    this.#isReadOnly = false;
    this.#hasWritten = false;
    return inTransaction;
  }

  /** Runs one statement and returns Hrana's `StmtResult`. */
  execute({ sql, args, wantRows }: Stmt): string {
    const isReadOnly = sql === BEGIN_READ_ONLY;
    const statement = this.#statements.get(isReadOnly ? "BEGIN" : sql);
    const wanted = statement.native.paramsCount;
    if (args.length !== wanted) {
      throw new HranaError(
        "ARGS_INVALID",
        `The statement has ${wanted} parameters, but ${args.length} arguments were given`,
      );
    }
    this.#state.statementCount++;
    try {
      const result = this.#step(statement, args, wantRows);
      if (isReadOnly) this.#database.run("PRAGMA query_only = ON");
      this.#isReadOnly ||= isReadOnly;
      return result;
    } finally {
      if (statement.kind === "setting") statement.native.finalize();
    }
  }

  /** Runs every statement in `sql`, which have no parameters, up to the first error. */
  executeSequence(sql: string): void {
    let rest = sql;
    while (!isBlank(rest)) {
      const length = this.#statements.lengthOfFirst(rest);
      this.execute({ sql: rest.slice(0, length), args: [], wantRows: false });
      rest = rest.slice(length);
    }
  }

  /** Moves the write-ahead log into the database file, except for parts that a reader still needs. */
  checkpoint(): void {
    this.#statements.clear();
    this.#database.run("PRAGMA wal_checkpoint(TRUNCATE)");
  }

  close(): void {
    this.#statements.clear();
    this.#database.close(true);
  }

  #step({ native, kind, columns }: PreparedStatement, args: SqlValue[], wantRows: boolean): string {
    const writes = !native.readonly;
    if (writes) this.#hasWritten = true;
    let rows = "";
    let changes: SqlValue = 0;
    let rowid: SqlValue = 0;
    if (native.reader) {
      const found = native.values(...args);
      // Only after a run: a run first prepares the statement again when another process has changed the schema.
      if (!isSame(native.columnNames, columns.names)) {
        columns.names = native.columnNames;
        columns.json = JSON.stringify(columns.names.map((name) => ({ name })));
      }
      if (wantRows) rows = encodeRows(found);
      // bun:sqlite returns the rows of a statement with RETURNING, but no counts.
      if (writes) [changes = 0, rowid = 0] = this.#statements.get(LAST_CHANGES).native.values()[0] ?? [];
    } else {
      ({ changes, lastInsertRowid: rowid } = native.run(...args));
    }
    const [affected, last] = writes && kind === "data" ? [changes, `"${rowid}"`] : [0, "null"];
    return `{"cols":${columns.json},"rows":[${rows}],"affected_row_count":${affected},"last_insert_rowid":${last}}`;
  }
}

function openFile(file: string): Database {
  const database = new Database(file, { create: true, readwrite: true, safeIntegers: true });
  database.run(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
  database.run("PRAGMA journal_mode = WAL");
  // NORMAL in either mode: log-sync.ts adds the durability of FULL.
  database.run("PRAGMA synchronous = NORMAL");
  database.run("PRAGMA foreign_keys = ON");
  database.run(`PRAGMA cache_size = -${CACHE_KIB}`);
  // The first read opens the log, or fails when the file is not a database.
  database.run("PRAGMA schema_version");
  return database;
}

function isSame(left: readonly string[], right: readonly string[]): boolean {
  return left.length === right.length && left.every((value, index) => value === right[index]);
}

function encodeRows(rows: SqlValue[][]): string {
  let json = "";
  for (const row of rows) {
    let cells = "";
    for (const value of row) cells += cells === "" ? encodeValue(value) : `,${encodeValue(value)}`;
    json += json === "" ? `[${cells}]` : `,[${cells}]`;
  }
  return json;
}
