import { Database } from "bun:sqlite";
import type { AlarmStorage } from "../../worker/actors/kit/alarm.ts";
import type { SqlStorage } from "../../worker/actors/kit/object-tables.ts";

/**
 * The part of a Durable Object's storage that the actors use, on SQLite in memory. It outlives the objects that use it.
 */
export class ObjectStorage implements SqlStorage, AlarmStorage {
  readonly #database: Database;
  alarmAt: number | null = null;
  /** How often the alarm was set; below, how often rows were written. */
  alarmWrites = 0;
  rowWrites = 0;
  /** Makes writes fail, as on a full or broken disk: those of rows, or all. */
  broken: false | "rows" | "all" = false;

  constructor(database = new Database(":memory:")) {
    this.#database = database;
  }

  /** A copy in a file that does not exist yet. */
  writeTo(file: string): void {
    this.#database.run("VACUUM INTO ?", [file]);
  }

  readonly sql = {
    exec: (query: string, ...bindings: (string | number | null)[]) => {
      if (/^(INSERT|UPDATE|DELETE|CREATE)/u.test(query)) {
        if (this.broken !== false) throw new Error("the disk is full");
        this.rowWrites += 1;
      }
      const rows = this.#database.query<Record<string, string | number | null>, (string | number | null)[]>(query);
      const all = rows.all(...bindings);
      return { toArray: () => all };
    },
  };

  async setAlarm(atMs: number): Promise<void> {
    this.#writeAlarm(atMs);
  }

  async deleteAlarm(): Promise<void> {
    this.#writeAlarm(null);
  }

  deleteAll(): Promise<void> {
    for (const name of this.tables()) this.#database.run(`DROP TABLE ${name}`);
    this.alarmAt = null;
    return Promise.resolve();
  }

  tables(): string[] {
    return this.#database
      .query<{ name: string }, []>("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
      .all()
      .map((row) => row.name);
  }

  count(table: string): number {
    return this.#database.query<{ n: number }, []>(`SELECT count(*) AS n FROM ${table}`).get()?.n ?? 0;
  }

  #writeAlarm(at: number | null): void {
    if (this.broken === "all") throw new Error("the disk is full");
    this.alarmAt = at;
    this.alarmWrites += 1;
  }
}
