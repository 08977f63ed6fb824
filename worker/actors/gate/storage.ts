import { executionStatusSchema } from "../../../schema/contract/execution.ts";
import type { ExecutionStatus } from "../../../schema/contract/execution.ts";
import type { Delivery, GateSettings } from "../../services/ports.ts";
import type { AlarmStorage } from "../kit/alarm.ts";
import type { DeliveryCounts } from "./deliveries.ts";
import { ObjectTables } from "../kit/object-tables.ts";
import type { SqlStorage } from "../kit/object-tables.ts";

/** The part of a Durable Object's storage that a gate uses. */
export type GateStorage = SqlStorage & AlarmStorage & { deleteAll(): Promise<void> };

/** An accepted event without its variables, which stay on disk until the start needs them. */
export interface InboxEvent {
  /** Rises with every acceptance. */
  readonly seq: number;
  readonly executionId: string;
  readonly dedupeKey: string;
  readonly acceptedAt: number;
  started: boolean;
  status: ExecutionStatus;
}

/** The part of the event that was fixed at acceptance. */
export interface InboxOrder {
  readonly workflowId: string;
  readonly versionId: string;
  /** JSON of the request's `variables`. */
  readonly variables: string;
}

export interface StoredSettings {
  readonly webhookKey: string;
  readonly settings: GateSettings;
  readonly revokedAt: number | null;
  /** The last deliveries, newest first; absent in older gates. They are here because older gates have no table for them. */
  readonly deliveries?: readonly Delivery[];
  /** Deliveries that the totals do not have yet; absent in older gates. */
  readonly uncounted?: DeliveryCounts;
}

// `variables` is the last column: SQLite reads the columns before it without touching its overflow pages.
const TABLES = [
  "CREATE TABLE IF NOT EXISTS settings (id INTEGER PRIMARY KEY CHECK (id = 1), value TEXT NOT NULL)",
  `CREATE TABLE IF NOT EXISTS events (seq INTEGER PRIMARY KEY, execution_id TEXT NOT NULL, dedupe_key TEXT NOT NULL,
    accepted_at INTEGER NOT NULL, started INTEGER NOT NULL DEFAULT 0, status TEXT NOT NULL DEFAULT 'running',
    workflow_id TEXT NOT NULL, version_id TEXT NOT NULL, variables TEXT NOT NULL)`,
  "CREATE TABLE IF NOT EXISTS counted_requests (at INTEGER NOT NULL)",
];

/**
 * A gate's storage: its settings with the last deliveries, the accepted events, and the times of requests that count towards the limit without
 * being accepted. Only this class writes the rows, so reads trust them.
 */
export class GateInbox {
  readonly #storage: GateStorage;
  readonly #tables: ObjectTables;

  constructor(storage: GateStorage) {
    this.#storage = storage;
    this.#tables = new ObjectTables(storage, TABLES);
  }

  /** Null when this key was never configured, or its storage was emptied. */
  loadSettings(): StoredSettings | null {
    const [row] = this.#tables.read("SELECT value FROM settings");
    return row === undefined ? null : JSON.parse(String(row["value"]));
  }

  saveSettings(stored: StoredSettings): void {
    this.#tables.write("INSERT OR REPLACE INTO settings (id, value) VALUES (1, ?)", JSON.stringify(stored));
  }

  loadEvents(): InboxEvent[] {
    const columns = "seq, execution_id, dedupe_key, accepted_at, started, status";
    return this.#tables.read(`SELECT ${columns} FROM events ORDER BY seq`).map((row) => ({
      seq: Number(row["seq"]),
      executionId: String(row["execution_id"]),
      dedupeKey: String(row["dedupe_key"]),
      acceptedAt: Number(row["accepted_at"]),
      started: row["started"] === 1,
      status: executionStatusSchema.parse(row["status"]),
    }));
  }

  /** The times of requests since `since` that counted without being accepted. */
  loadCounted(since: number): number[] {
    return this.#tables.read("SELECT at FROM counted_requests WHERE at > ?", since).map((row) => Number(row["at"]));
  }

  /** The only write of an acceptance. */
  insertEvent(event: InboxEvent, order: InboxOrder): void {
    this.#tables.write(
      `INSERT INTO events (seq, execution_id, dedupe_key, accepted_at, workflow_id, version_id, variables)
        VALUES (?, ?, ?, ?, ?, ?, ?)`,
      event.seq,
      event.executionId,
      event.dedupeKey,
      event.acceptedAt,
      order.workflowId,
      order.versionId,
      order.variables,
    );
  }

  insertCounted(at: number): void {
    this.#tables.write("INSERT INTO counted_requests (at) VALUES (?)", at);
  }

  loadOrder(seq: number): InboxOrder | null {
    const [row] = this.#tables.read("SELECT workflow_id, version_id, variables FROM events WHERE seq = ?", seq);
    if (row === undefined) return null;
    return {
      workflowId: String(row["workflow_id"]),
      versionId: String(row["version_id"]),
      variables: String(row["variables"]),
    };
  }

  saveStarted(seqs: readonly number[]): void {
    this.#tables.write(
      "UPDATE events SET started = 1 WHERE seq IN (SELECT value FROM json_each(?))",
      JSON.stringify(seqs),
    );
  }

  saveEnded(seq: number, status: ExecutionStatus): void {
    this.#tables.write("UPDATE events SET started = 1, status = ? WHERE seq = ?", status, seq);
  }

  deleteEvents(seqs: readonly number[]): void {
    this.#tables.write("DELETE FROM events WHERE seq IN (SELECT value FROM json_each(?))", JSON.stringify(seqs));
  }

  deleteCounted(until: number): void {
    this.#tables.write("DELETE FROM counted_requests WHERE at <= ?", until);
  }

  /** Deletes everything, settings included. The next `saveSettings` creates the tables again. */
  async empty(): Promise<void> {
    this.#tables.forget();
    await this.#storage.deleteAll();
  }
}
