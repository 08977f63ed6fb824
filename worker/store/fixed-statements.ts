import { getTableColumns, getTableName } from "drizzle-orm";
import type { SQLiteColumn, SQLiteTable } from "drizzle-orm/sqlite-core";
import type { Statement } from "./database.ts";

/**
 * Inserts and updates of a step. Their texts depend on the names of the columns alone and are built once: building them
 * again with drizzle was the largest single cost of a step. Values are encoded as drizzle does it. A field that is
 * undefined is left out.
 */

type Values<T extends SQLiteTable> = { readonly [Key in keyof T["$inferInsert"]]?: T["$inferInsert"][Key] | undefined };

/** `onConflict` is the text after VALUES, if any. All rows have the same fields. */
export function insertRows<T extends SQLiteTable>(
  table: T,
  rows: readonly Values<T>[],
  onConflict: string = "",
): Statement {
  const known = shapeOf(table);
  const fields = fieldsOf(rows[0] ?? {});
  const text = known.text(`insert ${rows.length} ${fields.join()} ${onConflict}`, () => {
    const row = `(${fields.map(() => "?").join(", ")})`;
    const names = fields.map((field) => known.quoted(field));
    return `insert into ${known.name} (${names.join(", ")}) values ${rows.map(() => row).join(", ")} ${onConflict}`;
  });
  return statement(
    text,
    rows.flatMap((row) => known.encode(fields, row)),
  );
}

/** Changes the row whose column `key` has this value. */
export function updateRow<T extends SQLiteTable>(
  table: T,
  key: string & keyof Values<T>,
  values: Values<T>,
): Statement {
  const known = shapeOf(table);
  const fields = fieldsOf(values).filter((field) => field !== key);
  const text = known.text(`update ${key} ${fields.join()}`, () => {
    const changes = fields.map((field) => `${known.quoted(field)} = ?`);
    return `update ${known.name} set ${changes.join(", ")} where ${known.quoted(key)} = ?`;
  });
  return statement(text, known.encode([...fields, key], values));
}

class Shape {
  readonly name: string;
  readonly #columns: Record<string, SQLiteColumn>;
  readonly #texts = new Map<string, string>();

  constructor(table: SQLiteTable) {
    this.name = getTableName(table);
    this.#columns = getTableColumns(table);
  }

  /** The column's name as SQL: some names are also words of the language. */
  quoted(field: string): string {
    return `"${this.#column(field).name}"`;
  }

  /** The text that was built for this key before. */
  text(key: string, build: () => string): string {
    const known = this.#texts.get(key);
    if (known !== undefined) return known;
    const text = build();
    this.#texts.set(key, text);
    return text;
  }

  encode(fields: readonly string[], row: object): unknown[] {
    const values = new Map<string, unknown>(Object.entries(row));
    return fields.map((field) => {
      const value = values.get(field) ?? null;
      return value === null ? null : this.#column(field).mapToDriverValue(value);
    });
  }

  #column(field: string): SQLiteColumn {
    const column = this.#columns[field];
    if (column === undefined) throw new TypeError(`the table ${this.name} has no field ${field}`);
    return column;
  }
}

/** The tables are few, and so are the sets of fields. */
const shapes = new Map<SQLiteTable, Shape>();

function shapeOf(table: SQLiteTable): Shape {
  const known = shapes.get(table) ?? new Shape(table);
  shapes.set(table, known);
  return known;
}

function fieldsOf(row: object): string[] {
  return Object.entries(row).flatMap(([field, value]) => (value === undefined ? [] : [field]));
}

function statement(sql: string, params: unknown[]): Statement {
  return { toSQL: () => ({ sql, params }) };
}
