import type { JsonObject, JsonValue } from "../../../schema/contract/json.ts";

/** The limit for the rows of one job. A whole output has 512 KiB (docs/design/limits.md#outputs). */
export const ROWS_MAX_BYTES = 400 * 1_024;

/** Collects the rows of a result up to its limits. */
export class ResultRows {
  readonly rows: JsonObject[] = [];
  truncated = false;
  #columns: readonly string[] = [];
  #bytes = 0;

  constructor(
    private readonly maxRows: number,
    private readonly maxBytes: number = ROWS_MAX_BYTES,
  ) {}

  /** Names for the columns. A repeated name gets a suffix such as `name_2`, and so does `__proto__`. */
  set columns(names: readonly string[]) {
    this.#columns = distinct(names);
  }

  get columns(): readonly string[] {
    return this.#columns;
  }

  /** False when there was no room for the row. Then the rest need not be read. */
  add(values: readonly JsonValue[]): boolean {
    if (this.truncated) return false;
    const row: JsonObject = Object.fromEntries(this.#columns.map((name, index) => [name, values[index] ?? null]));
    const bytes = Buffer.byteLength(JSON.stringify(row)) + 1;
    if (this.rows.length >= this.maxRows || this.#bytes + bytes > this.maxBytes) {
      this.truncated = true;
      return false;
    }
    this.#bytes += bytes;
    this.rows.push(row);
    return true;
  }
}

function distinct(names: readonly string[]): string[] {
  // JSON parsers may drop a key of this name.
  const taken = new Set(["__proto__"]);
  return names.map((name) => {
    let free = name;
    for (let number = 2; taken.has(free); number += 1) free = `${name}_${number}`;
    taken.add(free);
    return free;
  });
}
