import { z } from "zod";
import type { JsonValue } from "./json.ts";

/**
 * Placeholders in the `params.query` of a `database.executeQuery` job (docs/design/templates.md#sql). The service
 * refuses both prefixes anywhere else in the statement, so an agent finds placeholders by name, without parsing SQL;
 * one may occur several times. `values` has the JSON text of each value: for a template under the placeholder's name
 * without the colon, for a parameter under its own name, which never begins with `bellhop_`. `null` is NULL, `5` a
 * number, `"5"` a text; lists and objects are bound as JSON text.
 * A driver prepares `bindSqlValues(…).text` on the server and sends `parameters` separately (with mysql2 that is
 * `execute`, not `query`, which inserts them into the statement).
 */
export const SQL_VALUE_PREFIX = "bellhop_value_";
export const SQL_PARAMETER_PREFIX = "bellhop_parameter_";

export type SqlValue = string | number | boolean | null;

/** `$1` (PostgreSQL), `?` (MySQL), `@name` (SQL Server), `:name` (SQLite). */
export type SqlPlaceholders = "postgres" | "mysql" | "sqlserver" | "sqlite";

export interface BoundSql {
  readonly text: string;
  /** In the database's order of placeholders; `name` is the name in the text, without a colon. */
  readonly parameters: readonly { readonly name: string; readonly value: SqlValue }[];
}

const PLACEHOLDER = new RegExp(
  `:(${SQL_VALUE_PREFIX}[1-9][0-9]*(?![0-9])|${SQL_PARAMETER_PREFIX}[A-Za-z_][A-Za-z0-9_]{0,62}(?![A-Za-z0-9_]))`,
  "gu",
);
const sqlValueSchema = z
  .json()
  .transform((value) => (typeof value === "object" && value !== null ? JSON.stringify(value) : value));

/** A value in the format of a job's `values`. */
export function encodeSqlValue(value: JsonValue): string {
  return JSON.stringify(value);
}

/** The placeholder of the named parameter `:name` in a job's statement. */
export function sqlParameterPlaceholder(name: string): string {
  return `:${SQL_PARAMETER_PREFIX}${name}`;
}

/**
 * A job's statement with the placeholders of its database, and the values to bind. PostgreSQL, SQL Server and SQLite
 * have one parameter for each name, MySQL one for each place. Throws when a value is missing for a placeholder, or is
 * not JSON: this service does not make such a job.
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

/** Numbered for the database: SQL Server would treat `Id` and `id` as one. */
function boundName(placeholder: string, index: number): string {
  return isParameter(placeholder) ? `${SQL_PARAMETER_PREFIX}${index + 1}` : placeholder;
}

function decode(placeholder: string, values: Readonly<Record<string, string>>): SqlValue {
  const name = isParameter(placeholder) ? placeholder.slice(SQL_PARAMETER_PREFIX.length) : placeholder;
  const encoded = Object.hasOwn(values, name) ? values[name] : undefined;
  if (encoded === undefined)
    throw new Error(`The statement has the placeholder ${name}, but the job has no value for it.`);
  return sqlValueSchema.parse(JSON.parse(encoded));
}

function isParameter(placeholder: string): boolean {
  return placeholder.startsWith(SQL_PARAMETER_PREFIX);
}
