import { malformed } from "./errors.ts";
import { decodeValue, type SqlValue } from "./values.ts";
import { isJsonObject } from "../../schema/contract/json-object.ts";

/** SQL as text, or as the number under which the stream stored its text. */
export type SqlSource = { sql: string } | { sqlId: number };

export interface Stmt {
  source: SqlSource;
  args: SqlValue[];
  namedArgs: { name: string; value: SqlValue }[];
  wantRows: boolean;
}

export type BatchCondition =
  | { type: "ok" | "error"; step: number }
  | { type: "not"; condition: BatchCondition }
  | { type: "and" | "or"; conditions: BatchCondition[] }
  | { type: "is_autocommit" };

export interface BatchStep {
  stmt: Stmt;
  condition: BatchCondition | undefined;
}

export type StreamRequest =
  | { type: "execute"; stmt: Stmt }
  | { type: "batch"; steps: BatchStep[] }
  | { type: "sequence" | "describe"; source: SqlSource }
  | { type: "store_sql"; sqlId: number; sql: string }
  | { type: "close_sql"; sqlId: number }
  | { type: "close" | "get_autocommit" };

export interface Pipeline {
  baton: string | undefined;
  requests: StreamRequest[];
}

/** A client nests one level per condition; deeper nesting is an attempt to exhaust the stack. */
const MAX_CONDITION_DEPTH = 64;

/**
 * Parses the whole body of `POST /v2/pipeline` and `/v3/pipeline` before anything runs, so that a malformed pipeline
 * changes nothing. Written by hand: it runs for every query, where a schema library would cost more than SQLite itself.
 * Throws a `HranaError` `MALFORMED_REQUEST`.
 */
export function parsePipeline(text: string): Pipeline {
  const body = record(parseJson(text), "the body");
  const { baton } = body;
  if (baton !== undefined && baton !== null && typeof baton !== "string") throw malformed("baton is not a string");
  return { baton: baton ?? undefined, requests: list(body["requests"], "requests").map(parseRequest) };
}

function parseRequest(value: unknown): StreamRequest {
  const request = record(value, "a request");
  const { type } = request;
  switch (type) {
    case "execute":
      return { type, stmt: parseStmt(request["stmt"]) };
    case "batch":
      return { type, steps: list(record(request["batch"], "batch")["steps"], "steps").map(parseStep) };
    case "sequence":
    case "describe":
      return { type, source: parseSource(request) };
    case "store_sql":
      return { type, sqlId: integer(request["sql_id"], "sql_id"), sql: string(request["sql"], "sql") };
    case "close_sql":
      return { type, sqlId: integer(request["sql_id"], "sql_id") };
    case "close":
    case "get_autocommit":
      return { type };
  }
  throw malformed(`unknown request type ${JSON.stringify(type)}`);
}

function parseStep(value: unknown, index: number): BatchStep {
  const step = record(value, "a step");
  const condition = step["condition"];
  return {
    stmt: parseStmt(step["stmt"]),
    condition: condition === undefined || condition === null ? undefined : parseCondition(condition, index, 0),
  };
}

function parseStmt(value: unknown): Stmt {
  const stmt = record(value, "stmt");
  const { want_rows: wantRows } = stmt;
  return {
    source: parseSource(stmt),
    args: optionalList(stmt["args"], "args").map((arg) => decodeValue(record(arg, "an argument"))),
    namedArgs: optionalList(stmt["named_args"], "named_args").map((arg) => {
      const named = record(arg, "a named argument");
      return { name: string(named["name"], "name"), value: decodeValue(record(named["value"], "an argument")) };
    }),
    wantRows: wantRows !== false,
  };
}

function parseCondition(value: unknown, stepIndex: number, depth: number): BatchCondition {
  if (depth > MAX_CONDITION_DEPTH) throw malformed("conditions are nested too deep");
  const condition = record(value, "a condition");
  const { type } = condition;
  switch (type) {
    case "ok":
    case "error": {
      const step = integer(condition["step"], "step");
      if (step < 0 || step >= stepIndex) throw malformed("a condition refers to a step that does not precede it");
      return { type, step };
    }
    case "not":
      return { type, condition: parseCondition(condition["cond"], stepIndex, depth + 1) };
    case "and":
    case "or":
      return {
        type,
        conditions: list(condition["conds"], "conds").map((each) => parseCondition(each, stepIndex, depth + 1)),
      };
    case "is_autocommit":
      return { type };
  }
  throw malformed(`unknown condition ${JSON.stringify(type)}`);
}

function parseSource(holder: Record<string, unknown>): SqlSource {
  const sql = holder["sql"] ?? undefined;
  const sqlId = holder["sql_id"] ?? undefined;
  if ((sql === undefined) === (sqlId === undefined)) throw malformed("exactly one of sql and sql_id is needed");
  return sql === undefined ? { sqlId: integer(sqlId, "sql_id") } : { sql: string(sql, "sql") };
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

function optionalList(value: unknown, what: string): unknown[] {
  return value === undefined || value === null ? [] : list(value, what);
}

function string(value: unknown, what: string): string {
  if (typeof value === "string") return value;
  throw malformed(`${what} is not a string`);
}

function integer(value: unknown, what: string): number {
  if (typeof value === "number" && Number.isSafeInteger(value)) return value;
  throw malformed(`${what} is not an integer`);
}
