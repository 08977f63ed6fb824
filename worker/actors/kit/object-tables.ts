export type SqlValue = string | number | null;
export type SqlRow = Record<string, SqlValue | ArrayBuffer>;

/**
 * The part of a Durable Object's storage that its tables need. The platform makes writes without an await between them
 * one transaction.
 */
export interface SqlStorage {
  readonly sql: { exec(query: string, ...bindings: SqlValue[]): { toArray(): SqlRow[] } };
}

/** An object's own tables. The first write creates them, so reading an unused object writes nothing. */
export class ObjectTables {
  readonly #storage: SqlStorage;
  readonly #definitions: readonly string[];
  #exist: boolean;

  /** `definitions` are statements that create tables and indexes; the first one creates a table. */
  constructor(storage: SqlStorage, definitions: readonly string[]) {
    this.#storage = storage;
    this.#definitions = definitions;
    const [first = ""] = definitions;
    const name = /^CREATE TABLE (?:IF NOT EXISTS )?(?<name>\w+)/u.exec(first)?.groups?.["name"] ?? "";
    this.#exist = this.#rows("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ? LIMIT 1", name).length > 0;
  }

  /** The rows that a query finds; none before the first write. */
  read(query: string, ...bindings: SqlValue[]): SqlRow[] {
    return this.#exist ? this.#rows(query, ...bindings) : [];
  }

  write(query: string, ...bindings: SqlValue[]): void {
    if (!this.#exist) {
      for (const definition of this.#definitions) this.#rows(definition);
      this.#exist = true;
    }
    this.#rows(query, ...bindings);
  }

  /** To be called after the storage was emptied. */
  forget(): void {
    this.#exist = false;
  }

  #rows(query: string, ...bindings: SqlValue[]): SqlRow[] {
    return this.#storage.sql.exec(query, ...bindings).toArray();
  }
}
