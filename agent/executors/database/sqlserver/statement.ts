import { type Connection, Request } from "tedious";
import type { BoundSql, SqlValue } from "../../../../schema/contract/sql-values.ts";
import type { ResultRows } from "../result-rows.ts";
import { type Column, fromSqlServer, parameterType } from "./values.ts";

const NVARCHAR_MAX_CHARS = 4_000;

export interface StatementOptions {
  /** Cancels the statement when `into` is full. */
  stopWhenFull: boolean;
  onRow?: () => void;
}

/**
 * Runs one text through sp_executesql with separate parameters, and adds the rows of the first result with columns to
 * `into`. When `into` is full, the rest is read and dropped, because a cancel would roll back the statement's writes;
 * `stopWhenFull` cancels instead. Returns the number of rows that the server counted for all statements together.
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

/** One declaration for all texts that fit it, so that the server keeps one plan. Longer ones are nvarchar(max). */
function textLength(value: SqlValue): { length: number } | undefined {
  const fits = value === null || (typeof value === "string" && value.length <= NVARCHAR_MAX_CHARS);
  return fits ? { length: NVARCHAR_MAX_CHARS } : undefined;
}

/** Runs a text without parameters and rows, such as BEGIN TRANSACTION, whose effect must outlast the call. */
export function runBatch(connection: Connection, text: string): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  connection.execSqlBatch(
    new Request(text, (error) => (error === undefined || error === null ? resolve() : reject(error))),
  );
  return promise;
}
