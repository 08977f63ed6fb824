import { runBatch } from "./batch.ts";
import type { Connection } from "./connection.ts";
import { encodeError, HranaError, toHranaError } from "./errors.ts";
import type { SqlSource, Stmt, StreamRequest } from "./hrana.ts";
import { readStatement, splitSequence } from "./sql-statement.ts";
import { StoredSql } from "./stored-sql.ts";

const NO_ARGUMENTS = { args: [], namedArgs: [], wantRows: false };

/** Hrana's stream: a connection and the client's state from one pipeline to the next. */
export class Stream {
  /** Taken when the first pipeline runs: a stream in the queue for the writer gate has none. */
  connection: Connection | undefined;
  readonly #stored = new StoredSql();
  #isClosed = false;

  /** True after a `close` request. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Runs the requests of one pipeline, in order, and returns the list of Hrana's `StreamResult`s. */
  run(requests: readonly StreamRequest[], connection: Connection, isWriteAllowed: boolean): string {
    let results = "";
    for (const request of requests) {
      if (results !== "") results += ",";
      try {
        results += `{"type":"ok","response":${this.#answer(request, connection, isWriteAllowed)}}`;
      } catch (error) {
        results += `{"type":"error","error":${encodeError(toHranaError(error))}}`;
      }
    }
    return `[${results}]`;
  }

  /** Whether any of the requests may need SQLite's write lock. A stored text counts even if it does not run. */
  needsGate(requests: readonly StreamRequest[]): boolean {
    return requests.some((request) => {
      switch (request.type) {
        case "execute":
          return this.#isWrite(request.stmt.source);
        case "batch":
          return request.steps.some(({ stmt }) => this.#isWrite(stmt.source));
        case "sequence":
          return this.#isWrite(request.source);
        case "store_sql":
          return isWrite(request.sql);
        case "describe":
        case "close_sql":
        case "get_autocommit":
        case "close":
          return false;
      }
    });
  }

  #answer(request: StreamRequest, connection: Connection, isWriteAllowed: boolean): string {
    if (this.#isClosed && request.type !== "close") {
      throw new HranaError("STREAM_CLOSED", "The stream was closed earlier in this pipeline");
    }
    switch (request.type) {
      case "execute":
        return `{"type":"execute","result":${this.#execute(request.stmt, connection, isWriteAllowed)}}`;
      case "batch": {
        const result = runBatch(request.steps, {
          execute: (stmt) => this.#execute(stmt, connection, isWriteAllowed),
          isAutocommit: () => !connection.inTransaction,
        });
        return `{"type":"batch","result":${result}}`;
      }
      case "sequence":
        for (const sql of splitSequence(this.#stored.textOf(request.source))) {
          connection.execute(sql, { source: { sql }, ...NO_ARGUMENTS }, isWriteAllowed);
        }
        return '{"type":"sequence"}';
      case "describe":
        return `{"type":"describe","result":${connection.describe(this.#stored.textOf(request.source))}}`;
      case "store_sql":
        this.#stored.store(request.sqlId, request.sql);
        return '{"type":"store_sql"}';
      case "close_sql":
        this.#stored.close(request.sqlId);
        return '{"type":"close_sql"}';
      case "get_autocommit":
        return `{"type":"get_autocommit","is_autocommit":${!connection.inTransaction}}`;
      case "close":
        this.#isClosed = true;
        return '{"type":"close"}';
    }
  }

  #execute(stmt: Stmt, connection: Connection, isWriteAllowed: boolean): string {
    return connection.execute(this.#stored.textOf(stmt.source), stmt, isWriteAllowed);
  }

  #isWrite(source: SqlSource): boolean {
    try {
      return isWrite(this.#stored.textOf(source));
    } catch {
      // The text is stored in this same pipeline and counts there, or it is missing and fails without writing.
      return false;
    }
  }
}

function isWrite(sql: string): boolean {
  return splitSequence(sql).some((statement) => {
    try {
      return readStatement(statement).writes;
    } catch {
      return false;
    }
  });
}
