import { HranaError } from "./errors.ts";
import type { SqlSource } from "./hrana.ts";

/** The limits of libSQL's own server, so that a client fails here as it would in production. */
const MAX_TEXTS = 50;
const MAX_TEXT_BYTES = 5_000;

/** The SQL texts that a client has stored in its stream, so that it sends each text only once. */
export class StoredSql {
  readonly #texts = new Map<number, string>();

  store(sqlId: number, sql: string): void {
    if (this.#texts.has(sqlId)) throw new HranaError("SQL_EXISTS", `An SQL text is already stored as ${sqlId}`);
    if (this.#texts.size >= MAX_TEXTS) {
      throw new HranaError("SQL_STORE_TOO_MANY", `A stream stores at most ${MAX_TEXTS} SQL texts; close one first`);
    }
    if (Buffer.byteLength(sql) > MAX_TEXT_BYTES) {
      throw new HranaError("SQL_STORE_TOO_LARGE", `A stored SQL text has at most ${MAX_TEXT_BYTES} bytes`);
    }
    this.#texts.set(sqlId, sql);
  }

  close(sqlId: number): void {
    this.#texts.delete(sqlId);
  }

  textOf(source: SqlSource): string {
    if ("sql" in source) return source.sql;
    const sql = this.#texts.get(source.sqlId);
    if (sql === undefined) throw new HranaError("SQL_NOT_FOUND", `No SQL text is stored as ${source.sqlId}`);
    return sql;
  }
}
