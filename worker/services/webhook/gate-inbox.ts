import { z } from "zod";
import { executionStatusSchema } from "../../../schema/contract/execution.ts";
import type { ExecutionStatus } from "../../../schema/contract/execution.ts";
import type { GateSettings } from "../ports.ts";

type Value = string | number | null;

/** The part of a Durable Object's storage that a gate uses. */
export interface GateStorage {
  readonly sql: {
    exec(query: string, ...bindings: Value[]): { toArray(): Record<string, Value | ArrayBuffer>[] };
  };
  setAlarm(atMs: number): Promise<void> | void;
  deleteAll(): Promise<void>;
}

/** An accepted event, without its variables: these stay on disk until the start needs them. */
export interface InboxEvent {
  /** Rises with every acceptance. */
  readonly seq: number;
  readonly executionId: string;
  readonly dedupeKey: string;
  readonly acceptedAt: number;
  started: boolean;
  status: ExecutionStatus;
}

/** What was fixed when the event was accepted. */
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
}

// `variables` stands last: SQLite reads the columns before it without touching its overflow pages.
const TABLES = [
  "CREATE TABLE IF NOT EXISTS settings (id INTEGER PRIMARY KEY CHECK (id = 1), value TEXT NOT NULL)",
  `CREATE TABLE IF NOT EXISTS events (seq INTEGER PRIMARY KEY, execution_id TEXT NOT NULL, dedupe_key TEXT NOT NULL,
    accepted_at INTEGER NOT NULL, started INTEGER NOT NULL DEFAULT 0, status TEXT NOT NULL DEFAULT 'running',
    workflow_id TEXT NOT NULL, version_id TEXT NOT NULL, variables TEXT NOT NULL)`,
  "CREATE TABLE IF NOT EXISTS counted_requests (at INTEGER NOT NULL)",
];

const storedSettingsSchema = z.object({
  webhookKey: z.string(),
  settings: z.object({
    epoch: z.number(),
    workflowId: z.string(),
    versionId: z.string().nullable(),
    active: z.boolean(),
    secretHash: z.string(),
    revoked: z.boolean(),
  }),
  revokedAt: z.number().nullable(),
}) satisfies z.ZodType<StoredSettings>;

const eventRowSchema = z.object({
  seq: z.number(),
  execution_id: z.string(),
  dedupe_key: z.string(),
  accepted_at: z.number(),
  started: z.number(),
  status: executionStatusSchema,
});
const orderRowSchema = z.object({ workflow_id: z.string(), version_id: z.string(), variables: z.string() });
const countedRowSchema = z.object({ at: z.number() });

/**
 * What a gate keeps on disk: its settings, the accepted events, and when requests came that count for the limit
 * without being accepted. A key that was never configured has no tables, so that asking for it writes nothing.
 */
export class GateInbox {
  readonly #storage: GateStorage;

  constructor(storage: GateStorage) {
    this.#storage = storage;
  }

  /** Null when this key was never configured, or its storage was emptied. */
  loadSettings(): StoredSettings | null {
    if (this.#rows("SELECT 1 FROM sqlite_master WHERE name = 'settings'").length === 0) return null;
    const [row] = this.#rows("SELECT value FROM settings");
    return row === undefined ? null : storedSettingsSchema.parse(JSON.parse(String(row.value)));
  }

  saveSettings(stored: StoredSettings): void {
    for (const table of TABLES) this.#rows(table);
    this.#rows("INSERT OR REPLACE INTO settings (id, value) VALUES (1, ?)", JSON.stringify(stored));
  }

  loadEvents(): InboxEvent[] {
    const rows = this.#rows(
      "SELECT seq, execution_id, dedupe_key, accepted_at, started, status FROM events ORDER BY seq",
    );
    return rows.map((row) => {
      const event = eventRowSchema.parse(row);
      return {
        seq: event.seq,
        executionId: event.execution_id,
        dedupeKey: event.dedupe_key,
        acceptedAt: event.accepted_at,
        started: event.started === 1,
        status: event.status,
      };
    });
  }

  /** The times of requests since `since` that counted without being accepted. */
  loadCounted(since: number): number[] {
    return this.#rows("SELECT at FROM counted_requests WHERE at > ?", since).map(
      (row) => countedRowSchema.parse(row).at,
    );
  }

  /** The one write of an acceptance. */
  insertEvent(event: InboxEvent, order: InboxOrder): void {
    this.#rows(
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
    this.#rows("INSERT INTO counted_requests (at) VALUES (?)", at);
  }

  loadOrder(seq: number): InboxOrder | null {
    const [row] = this.#rows("SELECT workflow_id, version_id, variables FROM events WHERE seq = ?", seq);
    if (row === undefined) return null;
    const order = orderRowSchema.parse(row);
    return { workflowId: order.workflow_id, versionId: order.version_id, variables: order.variables };
  }

  saveStarted(seqs: readonly number[]): void {
    this.#rows("UPDATE events SET started = 1 WHERE seq IN (SELECT value FROM json_each(?))", JSON.stringify(seqs));
  }

  saveEnded(seq: number, status: ExecutionStatus): void {
    this.#rows("UPDATE events SET started = 1, status = ? WHERE seq = ?", status, seq);
  }

  deleteEvents(seqs: readonly number[]): void {
    this.#rows("DELETE FROM events WHERE seq IN (SELECT value FROM json_each(?))", JSON.stringify(seqs));
  }

  deleteCounted(until: number): void {
    this.#rows("DELETE FROM counted_requests WHERE at <= ?", until);
  }

  /** Settings too; the tables come back with the next `saveSettings`. */
  empty(): Promise<void> {
    return this.#storage.deleteAll();
  }

  #rows(query: string, ...bindings: Value[]): Record<string, Value | ArrayBuffer>[] {
    return this.#storage.sql.exec(query, ...bindings).toArray();
  }
}
