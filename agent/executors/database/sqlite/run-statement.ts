import { Database, type Statement } from "bun:sqlite";
import type { SqlValue } from "../../../../schema/contract/sql-values.ts";
import { ExecutorFailure } from "../../shared/failures.ts";
import { toJsonValue } from "../json-values.ts";
import { ResultRows } from "../result-rows.ts";
import { checkText, restBehind } from "./check-statement.ts";
import type { SqliteReply, SqliteRequest } from "./messages.ts";

type Bindable = string | bigint | number | null;
type Result = Extract<SqliteReply, { result: unknown }>["result"];

/** Runs one statement on an existing file. Throws SQLite's errors, or `query_failed` and `read_only`. */
export function runStatement(request: SqliteRequest): Result {
  const text = request.text.toWellFormed();
  checkText(text);
  const access = request.readOnly ? { readonly: true } : { readwrite: true, create: false };
  const database = new Database(request.file, { ...access, strict: true, safeIntegers: true });
  database.run(`PRAGMA busy_timeout = ${Math.max(0, Math.floor(request.busyTimeoutMs))}`);
  if (request.readOnly) database.run("PRAGMA query_only = ON");
  const statement = prepare(database, text, request);
  const result = new ResultRows(request.maxRows);
  const values = Object.fromEntries(request.parameters.map(({ name, value }) => [name, bindable(value)]));
  const columns = statement.columnNames;
  if (columns.length === 0) {
    const { changes } = statement.run(values);
    return { rows: [], columns: [], rowCount: changes, truncated: false };
  }
  result.columns = columns;
  // A statement with RETURNING has changed everything before it gives its first row.
  for (const row of statement.iterate(values)) {
    if (!result.add(columns.map((name) => toJsonValue(row[name])))) break;
  }
  statement.finalize();
  const { rows, truncated } = result;
  return { rows, columns, rowCount: rows.length, truncated };
}

function prepare(
  database: Database,
  text: string,
  { parameters, readOnly }: SqliteRequest,
): Statement<Record<string, unknown>, [Record<string, Bindable>]> {
  const statement = database.prepare<Record<string, unknown>, [Record<string, Bindable>]>(text);
  if (statement.paramsCount !== parameters.length) {
    const message = `The statement has ${statement.paramsCount} parameters and ${parameters.length} values. Only templates have values: write them in the place of parameters of your own.`;
    throw new ExecutorFailure("query_failed", message);
  }
  const unbound = parameters.reduceRight((sql, { name }) => sql.replaceAll(`:${name}`, "NULL"), text);
  if (restBehind(unbound, statement.toString()) !== "") {
    throw new ExecutorFailure("query_failed", "An action runs one statement: behind a semicolon nothing may follow.");
  }
  const names = statement.columnNames;
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) {
    const message = `Two columns of the result are called ${twice}, and only one of them could be read. Give one another name with AS.`;
    throw new ExecutorFailure("query_failed", message);
  }
  if (readOnly && "readonly" in statement && statement.readonly === false) {
    throw new ExecutorFailure("read_only", "The action is readOnly, and this statement writes.");
  }
  return statement;
}

/** SQLite has no booleans; a whole number stays one also beyond 32 bits. */
function bindable(value: SqlValue): Bindable {
  if (typeof value === "boolean") return value ? 1 : 0;
  return typeof value === "number" && Number.isSafeInteger(value) ? BigInt(value) : value;
}
