import { z } from "zod";
import type { JsonValue } from "./json.ts";

/**
 * How values travel beside SQL (design 5 and 9, "bound"). A job of `database.executeQuery` has
 * - in `params.query` the statement, where each template became the placeholder `:bellhop_value_<n>`. The service refuses
 *   statements that contain this name otherwise, in a text or a comment as well, so a placeholder is found by its name
 *   alone and nobody has to read SQL again. One path has one placeholder, which may occur several times;
 * - in `values`, under that name without the colon, the value as JSON text. So nothing is lost on the way: `null` is NULL,
 *   `5` a number, `true` a boolean, `"5"` a text, `{"a":1}` and `[1]` are bound as their JSON text. What a template does
 *   not find is the empty text.
 *
 * A driver never puts a value into the statement: it prepares `bindSqlValues(…).text` on the server and sends `parameters`
 * beside it (with mysql2 that is `execute`, not `query`, which pastes).
 */
export const SQL_VALUE_PREFIX = "bellhop_value_";

/** The placeholder of a named parameter, whose value is in `values` under the name itself. */
export function sqlParameterPlaceholder(name: string): string {
  return `:bellhop_parameter_${name}`;
}

export type SqlValue = string | number | boolean | null;

/** `$1` (PostgreSQL), `?` (MySQL), `@name` (SQL Server), `:name` (SQLite). */
export type SqlPlaceholders = "postgres" | "mysql" | "sqlserver" | "sqlite";

export interface BoundSql {
  readonly text: string;
  /** In the order in which the database counts its placeholders; `name` is that of the value, without a colon. */
  readonly parameters: readonly { readonly name: string; readonly value: SqlValue }[];
}

const PLACEHOLDER = new RegExp(`:(${SQL_VALUE_PREFIX}[1-9][0-9]*)(?![0-9])`, "gu");
const sqlValueSchema = z
  .json()
  .transform((value) => (typeof value === "object" && value !== null ? JSON.stringify(value) : value));

/** A value as it stands in a job's `values`. */
export function encodeSqlValue(value: JsonValue): string {
  return JSON.stringify(value);
}

/**
 * A job's statement in the placeholders of its database, and what is bound to them. PostgreSQL, SQL Server and SQLite
 * have one parameter for each name, MySQL one for each place. Throws when the statement has a placeholder that `values`
 * lack, or when a value is not JSON: such a job was not made by this service.
 */
export function bindSqlValues(
  query: string,
  values: Readonly<Record<string, string>>,
  placeholders: SqlPlaceholders,
): BoundSql {
  const names: string[] = [];
  const text = query.replaceAll(PLACEHOLDER, (_, name: string) => {
    if (placeholders === "mysql" || !names.includes(name)) names.push(name);
    switch (placeholders) {
      case "postgres":
        return `$${names.indexOf(name) + 1}`;
      case "mysql":
        return "?";
      case "sqlserver":
        return `@${name}`;
      case "sqlite":
        return `:${name}`;
    }
  });
  return { text, parameters: names.map((name) => ({ name, value: decode(name, values) })) };
}

function decode(name: string, values: Readonly<Record<string, string>>): SqlValue {
  const encoded = Object.hasOwn(values, name) ? values[name] : undefined;
  if (encoded === undefined) throw new Error(`The statement has the placeholder ${name}, and the job no value for it.`);
  return sqlValueSchema.parse(JSON.parse(encoded));
}
