import type { Database, Statement } from "bun:sqlite";
import { ResultColumns } from "./result-columns.ts";
import type { SqlValue } from "./values.ts";

export interface PreparedStatement {
  native: Statement<unknown, SqlValue[]>;
  columns: ResultColumns;
}

/** The prepared statements of one connection, least recently used first. */
export class StatementCache {
  readonly #database: Database;
  readonly #capacity: number;
  readonly #prepared = new Map<string, PreparedStatement>();

  constructor(database: Database, capacity = 256) {
    this.#database = database;
    this.#capacity = capacity;
  }

  /** Valid until the next call. */
  get(sql: string): PreparedStatement {
    const found = this.#prepared.get(sql);
    if (found !== undefined) {
      this.#prepared.delete(sql);
      this.#prepared.set(sql, found);
      return found;
    }
    const prepared = prepare(this.#database, sql);
    this.#prepared.set(sql, prepared);
    if (this.#prepared.size > this.#capacity) this.#dropOldest();
    return prepared;
  }

  clear(): void {
    for (const { native } of this.#prepared.values()) native.finalize();
    this.#prepared.clear();
  }

  #dropOldest(): void {
    for (const [sql, { native }] of this.#prepared) {
      native.finalize();
      this.#prepared.delete(sql);
      return;
    }
  }
}

export function prepare(database: Database, sql: string): PreparedStatement {
  const native = database.prepare<unknown, SqlValue[]>(sql);
  return { native, columns: new ResultColumns(native) };
}
