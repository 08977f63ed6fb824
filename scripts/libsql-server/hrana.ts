import { malformed } from "./errors.ts";
import { decodeValue, type SqlValue } from "./values.ts";
import { isJsonObject } from "../../schema/contract/json-object.ts";

export interface Stmt {
  sql: string;
  args: SqlValue[];
  wantRows: boolean;
}

export type StepOutcome = "ok" | "error" | "skipped";

/** Whether a step runs after the earlier steps had these outcomes. */
export type Condition = (outcomes: readonly StepOutcome[], connection: { readonly inTransaction: boolean }) => boolean;

export interface BatchStep {
  stmt: Stmt;
  condition: Condition | undefined;
}

export type HranaRequest =
  | { type: "execute"; stmt: Stmt }
  | { type: "batch"; steps: BatchStep[] }
  | { type: "sequence"; sql: string }
  | { type: "store_sql" | "close_sql" | "close" };

/** The SQL texts that a pipeline has stored under numbers, so that it contains each text only once. */
type StoredSql = Map<number, string>;

/** A client nests one level per condition; deeper nesting is an attempt to exhaust the stack. */
const MAX_CONDITION_DEPTH = 64;

/**
 * Parses the whole body of `POST /v2/pipeline` and `/v3/pipeline` before anything runs, so that a malformed pipeline
 * changes nothing. Written by hand: it runs for every query, where a schema library would cost more than SQLite itself.
 * Throws a `HranaError` `MALFORMED_REQUEST`.
 */
export function parsePipeline(text: string): HranaRequest[] {
  const body = record(parseJson(text), "the body");
  if ((body["baton"] ?? null) !== null) throw malformed("this server keeps no streams, so it has given no baton");
  const stored: StoredSql = new Map();
  return list(body["requests"], "requests").map((request) => parseRequest(request, stored));
}

function parseRequest(value: unknown, stored: StoredSql): HranaRequest {
  const request = record(value, "a request");
  const { type } = request;
  switch (type) {
    case "execute":
      return { type, stmt: parseStmt(request["stmt"], stored) };
    case "batch": {
      const steps = list(record(request["batch"], "batch")["steps"], "steps");
      return { type, steps: steps.map((step, index) => parseStep(step, index, stored)) };
    }
    case "sequence":
      return { type, sql: parseSql(request, stored) };
    case "store_sql":
      stored.set(integer(request["sql_id"], "sql_id"), string(request["sql"], "sql"));
      return { type };
    case "close_sql":
      stored.delete(integer(request["sql_id"], "sql_id"));
      return { type };
    case "close":
      return { type };
  }
  throw malformed(`unknown request type ${JSON.stringify(type)}`);
}

function parseStep(value: unknown, index: number, stored: StoredSql): BatchStep {
  const step = record(value, "a step");
  const condition = step["condition"] ?? undefined;
  const stmt = parseStmt(step["stmt"], stored);
  return { stmt, condition: condition === undefined ? undefined : parseCondition(condition, index, 0) };
}

function parseStmt(value: unknown, stored: StoredSql): Stmt {
  const stmt = record(value, "stmt");
  if (list(stmt["named_args"] ?? [], "named_args").length > 0) throw malformed("arguments by name are not supported");
  return {
    sql: parseSql(stmt, stored),
    args: list(stmt["args"] ?? [], "args").map((arg) => decodeValue(record(arg, "an argument"))),
    wantRows: stmt["want_rows"] !== false,
  };
}

function parseCondition(value: unknown, stepIndex: number, depth: number): Condition {
  if (depth > MAX_CONDITION_DEPTH) throw malformed("conditions are nested too deep");
  const condition = record(value, "a condition");
  const { type } = condition;
  const nested = (each: unknown) => parseCondition(each, stepIndex, depth + 1);
  switch (type) {
    case "ok":
    case "error": {
      const step = integer(condition["step"], "step");
      if (step < 0 || step >= stepIndex) throw malformed("a condition refers to a step that does not precede it");
      return (outcomes) => outcomes[step] === type;
    }
    case "not": {
      const negated = nested(condition["cond"]);
      return (...state) => !negated(...state);
    }
    case "and":
    case "or": {
      const all = list(condition["conds"], "conds").map(nested);
      return (...state) => (type === "and" ? all.every((each) => each(...state)) : all.some((each) => each(...state)));
    }
    case "is_autocommit":
      return (_, { inTransaction }) => !inTransaction;
  }
  throw malformed(`unknown condition ${JSON.stringify(type)}`);
}

/** SQL as text, or as the number under which the pipeline stored its text. */
function parseSql(holder: Record<string, unknown>, stored: StoredSql): string {
  const { sql, sql_id: sqlId } = holder;
  if ((sqlId ?? undefined) === undefined) return string(sql, "sql");
  const text = stored.get(integer(sqlId, "sql_id"));
  if (text === undefined) throw malformed(`no SQL text is stored as ${String(sqlId)} in this pipeline`);
  return text;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw malformed("the body is not JSON");
  }
}

function record(value: unknown, what: string): Record<string, unknown> {
  if (isJsonObject(value)) return value;
  throw malformed(`${what} is not an object`);
}

function list(value: unknown, what: string): unknown[] {
  if (Array.isArray(value)) return value;
  throw malformed(`${what} is not a list`);
}

function string(value: unknown, what: string): string {
  if (typeof value === "string") return value;
  throw malformed(`${what} is not a string`);
}

function integer(value: unknown, what: string): number {
  if (typeof value === "number" && Number.isSafeInteger(value)) return value;
  throw malformed(`${what} is not an integer`);
}
