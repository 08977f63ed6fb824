import { HranaError } from "./errors.ts";
import type { Stmt } from "./hrana.ts";
import type { SqlStatement } from "./sql-statement.ts";
import type { SqlValue } from "./values.ts";

/**
 * The values of a statement's parameters in SQLite's order. Named ones may leave out their prefix. Throws
 * `ARGS_INVALID` when one is missing or too many are given, `ARGS_BOTH_POSITIONAL_AND_NAMED` when the two kinds are
 * mixed.
 */
export function bindArguments(statement: SqlStatement, { args, namedArgs }: Stmt): SqlValue[] {
  if (namedArgs.length === 0) {
    if (args.length === statement.parameterCount) return args;
    const [given, wanted] = [args.length, statement.parameterCount];
    throw new HranaError("ARGS_INVALID", `The statement has ${wanted} parameters, but ${given} arguments were given`);
  }
  if (args.length > 0) {
    throw new HranaError("ARGS_BOTH_POSITIONAL_AND_NAMED", "Give arguments either by position or by name, not both");
  }
  return bindNames(statement, new Map(namedArgs.map(({ name, value }) => [name, value])));
}

function bindNames(statement: SqlStatement, given: ReadonlyMap<string, SqlValue>): SqlValue[] {
  const values: SqlValue[] = Array.from({ length: statement.parameterCount }, () => null);
  let named = 0;
  for (const [name, number] of statement.parameterNumbers) {
    const value = given.get(name) ?? given.get(name.slice(1));
    if (value === undefined && !given.has(name) && !given.has(name.slice(1))) {
      throw new HranaError("ARGS_INVALID", `No argument was given for the parameter ${name}`);
    }
    values[number - 1] = value ?? null;
    named++;
  }
  if (named < new Set(statement.parameterPlaces.map(({ number }) => number)).size) {
    throw new HranaError("ARGS_INVALID", "The statement also has parameters without a name; give all by position");
  }
  return values;
}

const CAST = /\(\+CAST\(([?:@$][^ ]*) AS REAL\)\)/g;

/**
 * bun:sqlite binds every whole number as INTEGER, but Hrana's float is a REAL, and `? / 2` or `? || ''` differ between
 * the two. Such parameters are wrapped in a cast; the unary plus removes the cast's affinity, as a bare parameter has
 * none. Returns `sql` itself when no value needs a cast.
 */
export function withRealParameters(sql: string, statement: SqlStatement, values: readonly SqlValue[]): string {
  if (!values.some(isWholeFloat)) return sql;
  let wrapped = "";
  let copied = 0;
  for (const { start, end, number } of statement.parameterPlaces) {
    if (!isWholeFloat(values[number - 1])) continue;
    wrapped += `${sql.slice(copied, start)}(+CAST(${sql.slice(start, end)} AS REAL))`;
    copied = end;
  }
  return wrapped + sql.slice(copied);
}

/** A column without an alias is named after its expression; the client does not expect casts in the name. */
export function withoutCasts(columnName: string): string {
  return columnName.includes("(+CAST(") ? columnName.replaceAll(CAST, "$1") : columnName;
}

function isWholeFloat(value: SqlValue | undefined): boolean {
  return typeof value === "number" && Number.isInteger(value);
}
