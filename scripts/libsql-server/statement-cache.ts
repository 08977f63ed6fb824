import type { Database, Statement } from "bun:sqlite";
import { HranaError } from "./errors.ts";
import { isBlank, kindOf, type SqlKind } from "./sql-kind.ts";
import type { SqlValue } from "./values.ts";

const CAPACITY = 256;

type NativeStatement = Statement<unknown, SqlValue[]>;

export interface PreparedStatement {
  native: NativeStatement;
  kind: SqlKind;
  /** Hrana's `cols`, encoded once per schema, and the names in it. */
  columns: { json: string; names: readonly string[] };
}

/** The prepared statements of one connection, least recently used first. */
export class StatementCache {
  readonly #database: Database;
  readonly #prepared = new Map<string, PreparedStatement>();
  #hasSettings = false;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Whether a statement may have left something behind in the connection: a setting, a temporary table. */
  get hasSettings(): boolean {
    return this.#hasSettings;
  }

  /**
   * The one statement in `sql`, valid until the next call. Throws `SQL_NO_STATEMENT`, `SQL_MANY_STATEMENTS` or, if
   * refused, `BLOCKED`. SQLite applies some settings only when it prepares them, so a setting is not kept: finalize it.
   */
  get(sql: string): PreparedStatement {
    const found = this.#prepared.get(sql);
    if (found !== undefined) {
      this.#prepared.delete(sql);
      this.#prepared.set(sql, found);
      return found;
    }
    const { native, kind } = this.#prepareFirst(sql);
    if (this.#hasMore(sql)) {
      native.finalize();
      throw new HranaError("SQL_MANY_STATEMENTS", "The SQL text contains more than one statement; send a sequence");
    }
    const prepared = { native, kind, columns: { json: "[]", names: [] } };
    if (kind === "setting") return prepared;
    this.#prepared.set(sql, prepared);
    const [oldest] = this.#prepared;
    if (this.#prepared.size <= CAPACITY || oldest === undefined) return prepared;
    oldest[1].native.finalize();
    this.#prepared.delete(oldest[0]);
    return prepared;
  }

  /** The length of the first statement in `sql`, which has no parameters, with its semicolon. */
  lengthOfFirst(sql: string): number {
    const { native } = this.#prepareFirst(sql);
    // SQLite shows the text that it prepared, but with NULL in the place of parameters.
    const { length } = native.toString();
    native.finalize();
    return length;
  }

  clear(): void {
    for (const { native } of this.#prepared.values()) native.finalize();
    this.#prepared.clear();
  }

  #prepareFirst(sql: string): Pick<PreparedStatement, "native" | "kind"> {
    if (isBlank(sql)) throw new HranaError("SQL_NO_STATEMENT", "The SQL text does not contain a statement");
    const kind = kindOf(sql);
    if (kind === "setting") this.#hasSettings = true;
    return { native: this.#database.prepare<unknown, SqlValue[]>(sql), kind };
  }

  /** SQLite reads one statement and ignores the rest. If it ignores an open quote at the end, there is a rest. */
  #hasMore(sql: string): boolean {
    const text = sql.replace(/[\s;]+$/u, "");
    if (!text.includes(";") && !text.includes("\0")) return false;
    try {
      this.#database.prepare(`${text}\n'`).finalize();
      return true;
    } catch {
      return false;
    }
  }
}
