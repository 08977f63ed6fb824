import { z } from "zod";
import type { JsonValue } from "./json.ts";

/**
 * How values travel beside SQL (docs/design/templates.md#sql). A job of `database.executeQuery` has
 * - in `params.query` the statement, where each template in place became the placeholder `:bellhop_value_<n>`, and each
 *   `:name` of a named parameter became `:bellhop_parameter_<name>`. The service refuses statements that contain these
 *   prefixes otherwise, in a text or a comment as well, so a placeholder is found by its name alone and nobody has to
 *   read SQL again. A placeholder may occur several times;
 * - in `values`, the value as JSON text: of a template under the placeholder's name without the colon, of a parameter under
 *   the parameter's name, which never begins with `bellhop_`. So nothing is lost on the way: `null` is NULL, `5` a number,
 *   `true` a boolean, `"5"` a text, `{"a":1}` and `[1]` are bound as their JSON text.
 *
 * A driver never puts a value into the statement: it prepares `bindSqlValues(…).text` on the server and sends `parameters`
 * beside it (with mysql2 that is `execute`, not `query`, which pastes).
 */
export const SQL_VALUE_PREFIX = "bellhop_value_";
export const SQL_PARAMETER_PREFIX = "bellhop_parameter_";

export type SqlValue = string | number | boolean | null;

/** `$1` (PostgreSQL), `?` (MySQL), `@name` (SQL Server), `:name` (SQLite). */
export type SqlPlaceholders = "postgres" | "mysql" | "sqlserver" | "sqlite";

export interface BoundSql {
  readonly text: string;
  /** In the order in which the database counts its placeholders; `name` is that in the text, without a colon. */
  readonly parameters: readonly { readonly name: string; readonly value: SqlValue }[];
}

const PLACEHOLDER = new RegExp(
  `:(${SQL_VALUE_PREFIX}[1-9][0-9]*(?![0-9])|${SQL_PARAMETER_PREFIX}[A-Za-z_][A-Za-z0-9_]{0,62}(?![A-Za-z0-9_]))`,
  "gu",
);
const sqlValueSchema = z
  .json()
  .transform((value) => (typeof value === "object" && value !== null ? JSON.stringify(value) : value));

/** A value as it stands in a job's `values`. */
export function encodeSqlValue(value: JsonValue): string {
  return JSON.stringify(value);
}

/** How the service writes the named parameter `:name` into the statement of a job. */
export function sqlParameterPlaceholder(name: string): string {
  return `:${SQL_PARAMETER_PREFIX}${name}`;
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
  const found: string[] = [];
  const text = query.replaceAll(PLACEHOLDER, (_, placeholder: string) => {
    if (placeholders === "mysql" || !found.includes(placeholder)) found.push(placeholder);
    const index = found.indexOf(placeholder);
    switch (placeholders) {
      case "postgres":
        return `$${index + 1}`;
      case "mysql":
        return "?";
      case "sqlserver":
        return `@${boundName(placeholder, index)}`;
      case "sqlite":
        return `:${boundName(placeholder, index)}`;
    }
  });
  const parameters = found.map((placeholder, index) => {
    return { name: boundName(placeholder, index), value: decode(placeholder, values) };
  });
  return { text, parameters };
}

/** A parameter is numbered for the database: SQL Server would take `Id` and `id` for one. */
function boundName(placeholder: string, index: number): string {
  return isParameter(placeholder) ? `${SQL_PARAMETER_PREFIX}${index + 1}` : placeholder;
}

function decode(placeholder: string, values: Readonly<Record<string, string>>): SqlValue {
  const name = isParameter(placeholder) ? placeholder.slice(SQL_PARAMETER_PREFIX.length) : placeholder;
  const encoded = Object.hasOwn(values, name) ? values[name] : undefined;
  if (encoded === undefined) throw new Error(`The statement has the placeholder ${name}, and the job no value for it.`);
  return sqlValueSchema.parse(JSON.parse(encoded));
}

function isParameter(placeholder: string): boolean {
  return placeholder.startsWith(SQL_PARAMETER_PREFIX);
}
