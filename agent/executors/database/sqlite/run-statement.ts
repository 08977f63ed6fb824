import { Database, type Statement } from "bun:sqlite";
import type { SqlValue } from "../../../../schema/contract/sql-values.ts";
import { errorCode, ExecutorFailure } from "../../shared/failures.ts";
import { MESSAGE_MAX_BYTES } from "../frame-guard.ts";
import { toJsonValue } from "../json-values.ts";
import { rowTooLarge } from "../limits.ts";
import { ResultRows } from "../result-rows.ts";
import { checkText, restBehind } from "./check-statement.ts";
import type { SqliteReply, SqliteRequest } from "./messages.ts";

/** SQLite's codes for a journal, or a write-ahead log, that only a connection with write access can process. */
const LEFTOVER = /^SQLITE_READONLY_(?:ROLLBACK|RECOVERY)$/u;

type Bindable = string | bigint | number | null;
type Statements = SqliteRequest & { text: string };
type Result = Extract<SqliteReply, { result: unknown }>["result"];

/**
 * Runs one statement on an existing file. Throws SQLite's errors, or `query_failed` and `read_only`. A read-only
 * connection cannot roll back the journal of a killed process, so the file is opened once with write access.
 */
export function runStatement(request: Statements): Result {
  try {
    return runOnce(request);
  } catch (error) {
    if (!request.readOnly || !LEFTOVER.test(errorCode(error))) throw error;
    rollBackLeftover(request);
    return runOnce(request);
  }
}

/** Without write access nothing changes, and the next read reports the same error. */
function rollBackLeftover({ file, busyTimeoutMs }: SqliteRequest): void {
  try {
    using database = new Database(file, { readwrite: true, create: false });
    waitForLocks(database, busyTimeoutMs);
    database.query("SELECT count(*) FROM sqlite_master").get();
  } catch {
    // The next read reports the problem.
  }
}

function runOnce(request: Statements): Result {
  const text = request.text.toWellFormed();
  checkText(text);
  const access = request.readOnly ? { readonly: true } : { readwrite: true, create: false };
  const database = new Database(request.file, { ...access, strict: true, safeIntegers: true });
  waitForLocks(database, request.busyTimeoutMs);
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
  // The statement may be abandoned: one with RETURNING makes all changes before its first row, and no function of
  // SQLite writes.
  for (const row of statement.iterate(values)) {
    // As base64 and as JSON the row would be several times larger.
    const tooLarge = bytesOf(row) > MESSAGE_MAX_BYTES;
    if (tooLarge && !writes(statement)) throw rowTooLarge();
    if (tooLarge) result.truncated = true;
    if (tooLarge || !result.add(columns.map((name) => toJsonValue(row[name])))) break;
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
    const message = `The statement has ${statement.paramsCount} parameters and ${parameters.length} values. Only templates and the action's parameters have values: write those instead of other parameters.`;
    throw new ExecutorFailure("query_failed", message);
  }
  const unbound = parameters.reduceRight((sql, { name }) => sql.replaceAll(`:${name}`, "NULL"), text);
  if (restBehind(unbound, statement.toString()) !== "") {
    throw new ExecutorFailure("query_failed", "An action runs one statement: remove what follows the semicolon.");
  }
  const names = statement.columnNames;
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) {
    const message = `Two columns of the result are called ${twice}, and only one of them could be read. Give one another name with AS.`;
    throw new ExecutorFailure("query_failed", message);
  }
  if (readOnly && writes(statement)) {
    throw new ExecutorFailure(
      "read_only",
      "The action is readOnly, but this statement writes. Leave readOnly out, or change the statement.",
    );
  }
  return statement;
}

function waitForLocks(database: Database, timeoutMs: number): void {
  database.run(`PRAGMA busy_timeout = ${Math.max(0, Math.floor(timeoutMs))}`);
}

function writes(statement: object): boolean {
  return "readonly" in statement && statement.readonly === false;
}

/** A lower bound: a character may have several bytes. */
function bytesOf(row: Record<string, unknown>): number {
  return Object.values(row)
    .map((value) => (typeof value === "string" || value instanceof Uint8Array ? value.length : 0))
    .reduce((sum, length) => sum + length, 0);
}

/** SQLite has no booleans. A whole number stays an integer beyond 32 bits. */
function bindable(value: SqlValue): Bindable {
  if (typeof value === "boolean") return value ? 1 : 0;
  return typeof value === "number" && Number.isSafeInteger(value) ? BigInt(value) : value;
}
