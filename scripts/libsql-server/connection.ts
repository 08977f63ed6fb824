import { Database } from "bun:sqlite";
import { bindArguments, withRealParameters } from "./bindings.ts";
import { HranaError } from "./errors.ts";
import type { Stmt } from "./hrana.ts";
import { readStatement, type SqlStatement } from "./sql-statement.ts";
import { prepare, StatementCache, type PreparedStatement } from "./statement-cache.ts";
import { encodeValue, type SqlValue } from "./values.ts";

/** The shared state of one server's connections. */
export interface DatabaseState {
  file: string;
  statementCount: number;
  /** Rises with every possible write into the log, including failed ones. */
  commitCount: number;
}

/**
 * Only for locks of other processes (a backup, a shell). The writer gate keeps the server's own connections from
 * waiting inside SQLite, which would stop the whole server.
 */
const BUSY_TIMEOUT_MS = 2_000;
const CACHE_KIB = 16 * 1_024;

/** One SQLite connection. Runs single statements synchronously and returns Hrana's JSON. */
export class Connection {
  readonly #database: Database;
  readonly #state: DatabaseState;
  readonly #statements: StatementCache;
  #hasWritten = false;
  #isReadOnly = false;
  #isReusable = true;

  constructor(state: DatabaseState) {
    this.#state = state;
    this.#database = new Database(state.file, { create: true, readwrite: true, safeIntegers: true });
    this.#database.run(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
    this.#database.run("PRAGMA journal_mode = WAL");
    // NORMAL in either mode: log-sync.ts adds the durability of FULL.
    this.#database.run("PRAGMA synchronous = NORMAL");
    this.#database.run("PRAGMA foreign_keys = ON");
    this.#database.run(`PRAGMA cache_size = -${CACHE_KIB}`);
    // The first read opens the log, or fails when the file is not a database.
    this.#database.run("PRAGMA schema_version");
    this.#statements = new StatementCache(this.#database);
  }

  get inTransaction(): boolean {
    return this.#database.inTransaction;
  }

  /** True while the open transaction has, or may have, SQLite's write lock. */
  get holdsWriteLock(): boolean {
    return this.#hasWritten && this.inTransaction;
  }

  /** False after a statement that left something behind in the connection: a setting, a temporary table. */
  get isReusable(): boolean {
    return this.#isReusable;
  }

  /** Runs one statement and returns Hrana's `StmtResult`. Throws `SQLITE_BUSY` for a write without permission. */
  execute(sql: string, stmt: Stmt, isWriteAllowed: boolean): string {
    const statement = readStatement(sql);
    if (statement.writes && !isWriteAllowed) {
      throw new HranaError("SQLITE_BUSY", "SQLite error: database is locked by another transaction; try again");
    }
    this.#state.statementCount++;
    try {
      return statement.reusable ? this.#runPrepared(statement, stmt) : this.#runOnce(statement, stmt);
    } finally {
      this.#noteTransaction(statement);
    }
  }

  /** Hrana's `DescribeResult`. */
  describe(sql: string): string {
    const statement = readStatement(sql);
    if (!statement.reusable) this.#isReusable = false;
    // SQLite prepares against the schema known to this connection, and reads a newer one only at execution.
    this.#database.run("SELECT 1 FROM sqlite_schema LIMIT 0");
    const { native, columns } = prepare(this.#database, toPlainSqlite(statement));
    try {
      const names = new Map(Array.from(statement.parameterNumbers, ([name, number]) => [number, name]));
      const params = Array.from({ length: native.paramsCount }, (_, index) => ({ name: names.get(index + 1) ?? null }));
      const isExplain = statement.verb === "EXPLAIN";
      const isReadOnly = isExplain || native.readonly;
      return `{"params":${JSON.stringify(params)},"cols":${columns.encode()},"is_explain":${isExplain},"is_readonly":${isReadOnly}}`;
    } finally {
      native.finalize();
    }
  }

  rollback(): void {
    if (this.inTransaction) this.#database.run("ROLLBACK");
    this.#noteTransaction(undefined);
  }

  /** Moves the write-ahead log into the database file, except for parts that a reader still needs. */
  checkpoint(): void {
    this.#database.run("PRAGMA wal_checkpoint(TRUNCATE)");
  }

  close(): void {
    this.#statements.clear();
    this.#database.close(true);
  }

  #runPrepared(statement: SqlStatement, stmt: Stmt): string {
    const values = bindArguments(statement, stmt);
    const prepared = this.#statements.get(withRealParameters(toPlainSqlite(statement), statement, values));
    return this.#step(statement, prepared, values, stmt.wantRows);
  }

  #runOnce(statement: SqlStatement, stmt: Stmt): string {
    this.#isReusable = false;
    const values = bindArguments(statement, stmt);
    const prepared = prepare(this.#database, withRealParameters(statement.sql, statement, values));
    try {
      return this.#step(statement, prepared, values, stmt.wantRows);
    } finally {
      prepared.native.finalize();
    }
  }

  #step({ verb }: SqlStatement, { native, columns }: PreparedStatement, values: SqlValue[], wantRows: boolean): string {
    let rows = "";
    let changes = 0;
    let rowid: number | bigint | undefined;
    if (native.reader) {
      const found = native.values(...values);
      if (wantRows) rows = encodeRows(found);
      if (!native.readonly) ({ changes, rowid } = this.#lastChanges());
    } else {
      ({ changes, lastInsertRowid: rowid } = native.run(...values));
    }
    const isChange = verb === "INSERT" || verb === "REPLACE" || verb === "UPDATE" || verb === "DELETE";
    const lastInsertRowid = verb === "INSERT" || verb === "REPLACE" ? `"${rowid}"` : "null";
    return `{"cols":${columns.encode()},"rows":[${rows}],"affected_row_count":${isChange ? changes : 0},"last_insert_rowid":${lastInsertRowid}}`;
  }

  /** For statements with RETURNING: bun:sqlite returns their rows, but no counts. */
  #lastChanges(): { changes: number; rowid: number | bigint | undefined } {
    const [row] = this.#statements.get("SELECT changes(), last_insert_rowid()").native.values();
    const [changes, rowid] = row ?? [];
    return { changes: Number(changes ?? 0), rowid: typeof rowid === "bigint" ? rowid : undefined };
  }

  #noteTransaction(statement: SqlStatement | undefined): void {
    const { inTransaction } = this;
    const hasWritten = this.#hasWritten || statement?.writes === true;
    if (hasWritten && !inTransaction && statement !== undefined) this.#state.commitCount++;
    this.#hasWritten = hasWritten && inTransaction;
    const shouldBeReadOnly = inTransaction && (this.#isReadOnly || statement?.beginsReadOnly === true);
    if (shouldBeReadOnly === this.#isReadOnly) return;
    this.#database.run(`PRAGMA query_only = ${shouldBeReadOnly ? "ON" : "OFF"}`);
    this.#isReadOnly = shouldBeReadOnly;
  }
}

function toPlainSqlite(statement: SqlStatement): string {
  return statement.beginsReadOnly ? "BEGIN" : statement.sql;
}

function encodeRows(rows: SqlValue[][]): string {
  let json = "";
  for (const row of rows) {
    json += json === "" ? "[" : ",[";
    for (let index = 0; index < row.length; index++) {
      if (index > 0) json += ",";
      json += encodeValue(row[index] ?? null);
    }
    json += "]";
  }
  return json;
}
