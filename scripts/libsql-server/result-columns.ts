import type { Statement } from "bun:sqlite";
import { withoutCasts } from "./bindings.ts";
import type { SqlValue } from "./values.ts";

/** The columns of a prepared statement, as Hrana's `cols`. */
export class ResultColumns {
  readonly #native: Statement<unknown, SqlValue[]>;
  #names: readonly string[] = [];
  #types: readonly (string | null)[] = [];
  #json = "[]";

  constructor(native: Statement<unknown, SqlValue[]>) {
    this.#native = native;
  }

  /**
   * The columns fit the rows only after a run: a run first prepares the statement again when the schema has changed,
   * even in another process. Encoded once per schema.
   */
  encode(): string {
    if (!this.#native.reader) return "[]";
    const { columnNames, declaredTypes } = this.#native;
    if (!isSame(columnNames, this.#names) || !isSame(declaredTypes, this.#types)) {
      this.#names = columnNames;
      this.#types = declaredTypes;
      this.#json = JSON.stringify(
        columnNames.map((name, index) => ({ name: withoutCasts(name), decltype: declaredTypes[index] ?? null })),
      );
    }
    return this.#json;
  }
}

function isSame(left: readonly unknown[], right: readonly unknown[]): boolean {
  return left.length === right.length && left.every((value, index) => value === right[index]);
}
