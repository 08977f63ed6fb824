import { type Connection, Request } from "tedious";
import type { BoundSql, SqlValue } from "../../../../schema/contract/sql-values.ts";
import type { ResultRows } from "../result-rows.ts";
import { type Column, fromSqlServer, parameterType } from "./values.ts";

const NVARCHAR_MAX_CHARS = 4_000;

export interface StatementOptions {
  /** No more than what fits is wanted: the rest is cancelled. */
  stopWhenFull: boolean;
  onRow?: () => void;
}

/**
 * Runs one text by sp_executesql, its parameters beside it; rows go into `into` one by one, those of the first result that
 * has any columns. Once that is full, the rest is read and dropped, because cancelling would roll back what the text, or
 * a function in it, has written; unless it may `stopWhenFull`. Gives the rows that the server counted, of all statements together.
 */
export function runStatement(
  connection: Connection,
  sql: BoundSql,
  into: ResultRows,
  { stopWhenFull, onRow }: StatementOptions,
): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  let results = 0;
  let stopped = false;
  const request = new Request(sql.text, (error, rowCount) => {
    if (error !== undefined && error !== null && !stopped) reject(error);
    else resolve(rowCount ?? 0);
  });
  for (const { name, value } of sql.parameters) {
    request.addParameter(name, parameterType(value), value, textLength(value));
  }
  request.on("columnMetadata", (columns) => {
    results += 1;
    if (results === 1 && Array.isArray(columns))
      into.columns = columns.map(({ colName }, index) => colName || `column_${index + 1}`);
  });
  request.on("row", (row: readonly Column[]) => {
    onRow?.();
    if (results !== 1 || stopped || into.add(row.map(fromSqlServer)) || !stopWhenFull) return;
    stopped = true;
    connection.cancel();
  });
  connection.execSql(request);
  return promise;
}

/** One declaration for all texts that fit into it, so that the server keeps one plan; longer ones are nvarchar(max). */
function textLength(value: SqlValue): { length: number } | undefined {
  const fits = value === null || (typeof value === "string" && value.length <= NVARCHAR_MAX_CHARS);
  return fits ? { length: NVARCHAR_MAX_CHARS } : undefined;
}

/** Runs a text without parameters and without rows, such as BEGIN TRANSACTION, which must outlive its own call. */
export function runBatch(connection: Connection, text: string): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  connection.execSqlBatch(
    new Request(text, (error) => (error === undefined || error === null ? resolve() : reject(error))),
  );
  return promise;
}
