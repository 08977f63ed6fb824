import { z } from "zod";

/**
 * libSQL's protocol, Hrana 2 over HTTP as JSON: https://github.com/tursodatabase/libsql/blob/main/docs/HRANA_2_SPEC.md.
 * Not `@libsql/client`, because it sends one request for each transaction (docs/decisions/0023-group-commit.md).
 */
export interface HranaAddress {
  /** `libsql:`, `https:` or `http:`. */
  url: string;
  token: string | null;
  /** The binding that leads to the database; the network when absent. */
  through?: Fetcher | undefined;
  /** The longest that a request takes (ms). */
  limitMs: number;
}

export type SqlParam = null | string | number | bigint | boolean | Uint8Array | ArrayBuffer;
export type SqlValue = null | string | number | ArrayBuffer;

export interface SqlText {
  sql: string;
  params: readonly SqlParam[];
}

export interface SqlResult {
  columns: readonly string[];
  rows: readonly SqlValue[][];
  rowsAffected: number;
}

/** All of it, or nothing. A `write` takes the write lock at its start, so that it cannot fail midway for lack of it. */
export interface Transaction {
  mode: "read" | "write";
  statements: readonly SqlText[];
}

export type TransactionOutcome = readonly SqlResult[] | DatabaseError;

/**
 * The database refused a transaction, or did not answer. `code` is SQLite's or the server's, or one of `TIMEOUT`,
 * `UNREACHABLE` and `HTTP_<status>`.
 */
export class DatabaseError extends Error {
  override readonly name = "DatabaseError";

  constructor(
    readonly code: string,
    message: string,
    /** Whether the transaction may have been committed all the same. */
    readonly mayHaveCommitted: boolean,
    options?: ErrorOptions,
  ) {
    super(`${code}: ${message}`, options);
  }
}

/** Sends the transactions in one request. One that fails does not affect the others. Never rejects. */
export async function sendTransactions(
  address: HranaAddress,
  transactions: readonly Transaction[],
): Promise<readonly TransactionOutcome[]> {
  try {
    const requests = [...transactions.map(toRequest), { type: "close" }];
    const answer = await post(address, JSON.stringify({ requests }));
    return transactions.map((transaction, index) => outcomeOf(transaction, answer[index]));
  } catch (error) {
    const failure = error instanceof DatabaseError ? error : unreachable(error);
    return transactions.map(() => failure);
  }
}

async function post({ url, token, through, limitMs }: HranaAddress, body: string): Promise<readonly PipelineResult[]> {
  const target = `${url.replace(/^libsql:/u, "https:").replace(/\/$/u, "")}/v2/pipeline`;
  const request = {
    method: "POST",
    headers: { "Content-Type": "application/json", ...(token === null ? {} : { Authorization: `Bearer ${token}` }) },
    body,
    // The token and the rows must not follow a redirect to another server.
    redirect: "manual" as const,
    // A half-open connection must not hang a request, or an object's turn, for ever.
    signal: AbortSignal.timeout(limitMs),
  };
  const response = await (through === undefined ? fetch(target, request) : through.fetch(target, request));
  const text = await response.text();
  if (!response.ok) throw refused(response.status, text);
  // The database is trusted with every row, so its answers are not validated.
  const { results }: { results: PipelineResult[] } = JSON.parse(text);
  return results;
}

const errorSchema = z.object({ message: z.string(), code: z.string().nullish() });

const MESSAGE_MAX_CHARS = 500;

/** Nothing was committed. Only a 5xx leaves that open, because it may come from a proxy. */
function refused(status: number, text: string): DatabaseError {
  let said: z.infer<typeof errorSchema> | undefined;
  try {
    said = errorSchema.safeParse(JSON.parse(text)).data;
  } catch {
    // A proxy's page.
  }
  const isOpen = status >= 500;
  const code = isOpen ? null : said?.code;
  const message = said?.message.slice(0, MESSAGE_MAX_CHARS) ?? `HTTP status ${status}`;
  return new DatabaseError(code ?? `HTTP_${status}`, message, isOpen);
}

function unreachable(error: unknown): DatabaseError {
  const isLate = error instanceof Error && error.name === "TimeoutError";
  const message = error instanceof Error ? error.message : String(error);
  return new DatabaseError(isLate ? "TIMEOUT" : "UNREACHABLE", message, true, { cause: error });
}

type HranaValue =
  | { type: "null" }
  | { type: "integer"; value: string }
  | { type: "float"; value: number }
  | { type: "text"; value: string }
  | { type: "blob"; base64: string };

interface StatementResult {
  cols: { name: string | null }[];
  rows: HranaValue[][];
  affected_row_count: number;
}

interface HranaFailure {
  message: string;
  code?: string | null;
}

type PipelineResult =
  | { type: "error"; error: HranaFailure }
  | { type: "ok"; response: { type: "execute"; result: StatementResult } }
  | {
      type: "ok";
      response: {
        type: "batch";
        result: { step_results: (StatementResult | null)[]; step_errors: (HranaFailure | null)[] };
      };
    };

/** A single statement is a transaction by itself. Others run between BEGIN and COMMIT while none has failed. */
function toRequest({ mode, statements }: Transaction) {
  const [first] = statements;
  if (first !== undefined && statements.length === 1) return { type: "execute", stmt: toStatement(first) };
  const begin = { stmt: { sql: mode === "write" ? "BEGIN IMMEDIATE" : "BEGIN", want_rows: false } };
  const after = (step: number) => ({ type: "ok", step });
  const steps = statements.map((statement, index) => ({ condition: after(index), stmt: toStatement(statement) }));
  const end = statements.length + 1;
  const commit = { condition: after(end - 1), stmt: { sql: "COMMIT", want_rows: false } };
  const rollback = { condition: { type: "not", cond: after(end) }, stmt: { sql: "ROLLBACK", want_rows: false } };
  return { type: "batch", batch: { steps: [begin, ...steps, commit, rollback] } };
}

function toStatement({ sql, params }: SqlText) {
  return { sql, args: params.map(encode), want_rows: true };
}

function outcomeOf({ statements }: Transaction, answer: PipelineResult | undefined): TransactionOutcome {
  if (answer === undefined) return new DatabaseError("HRANA_ERROR", "the server answered only in part", true);
  if (answer.type === "error") return failed(answer.error);
  const { response } = answer;
  if (response.type === "execute") return [decode(response.result)];
  const end = statements.length + 1;
  const { step_results: results, step_errors: errors } = response.result;
  // A ROLLBACK that follows a successful COMMIT is skipped.
  const error = errors.slice(0, end + 1).find((each) => each !== null);
  if (error != null) return failed(error);
  if (results[end] == null) return new DatabaseError("HRANA_ERROR", "the server did not confirm the commit", true);
  return results.slice(1, end).map(decode);
}

function failed({ code, message }: HranaFailure): DatabaseError {
  return new DatabaseError(code ?? "SQLITE_ERROR", message, false);
}

function encode(param: SqlParam): HranaValue {
  switch (typeof param) {
    case "string":
      // sqld refuses a whole request for half a surrogate pair.
      return { type: "text", value: param.toWellFormed() };
    case "number":
      return Number.isSafeInteger(param) ? { type: "integer", value: String(param) } : { type: "float", value: param };
    case "bigint":
      return { type: "integer", value: String(param) };
    case "boolean":
      return { type: "integer", value: param ? "1" : "0" };
    case "object":
      if (param === null) return { type: "null" };
      return { type: "blob", base64: toBase64(param) };
  }
}

function decode(result: StatementResult | null): SqlResult {
  if (result === null) throw new Error("a statement of a committed transaction has no result");
  const { cols, rows, affected_row_count: rowsAffected } = result;
  return { columns: cols.map(({ name }) => name ?? ""), rows: rows.map((row) => row.map(decodeValue)), rowsAffected };
}

function decodeValue(value: HranaValue): SqlValue {
  switch (value.type) {
    case "null":
      return null;
    case "text":
    case "float":
      return value.value;
    case "integer": {
      const number = Number(value.value);
      if (!Number.isSafeInteger(number)) throw new RangeError(`the integer ${value.value} does not fit into a number`);
      return number;
    }
    case "blob":
      return fromBase64(value.base64);
  }
}

function toBase64(bytes: Uint8Array | ArrayBuffer): string {
  return Buffer.from(bytes instanceof ArrayBuffer ? new Uint8Array(bytes) : bytes).toString("base64");
}

function fromBase64(text: string): ArrayBuffer {
  return new Uint8Array(Buffer.from(text, "base64")).buffer;
}
