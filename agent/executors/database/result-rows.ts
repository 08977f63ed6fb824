import type { JsonObject, JsonValue } from "../../../schema/contract/json.ts";

/** What one job may bring home: the output as a whole has 512 KiB (docs/design/limits.md#outputs). */
export const ROWS_MAX_BYTES = 400 * 1_024;

/** Takes a result's rows one by one, and says when it has had enough. */
export class ResultRows {
  readonly rows: JsonObject[] = [];
  truncated = false;
  #columns: readonly string[] = [];
  #bytes = 0;

  constructor(
    private readonly maxRows: number,
    private readonly maxBytes: number = ROWS_MAX_BYTES,
  ) {}

  /** Names for the columns: of two with one name, the second is told apart as `name_2`, and so is a `__proto__`. */
  set columns(names: readonly string[]) {
    this.#columns = distinct(names);
  }

  get columns(): readonly string[] {
    return this.#columns;
  }

  /** False, when the row was left out because there is no more room: then the rest need not be read. */
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
  // Readers of JSON leave a key of this name out.
  const taken = new Set(["__proto__"]);
  return names.map((name) => {
    let free = name;
    for (let number = 2; taken.has(free); number += 1) free = `${name}_${number}`;
    taken.add(free);
    return free;
  });
}
