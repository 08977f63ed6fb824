import type { Notification } from "../../domain/notification.ts";
import type { JobOrder } from "../../domain/run-types.ts";
import type { AlarmStorage } from "../pool/alarm-clock.ts";
import type { ObjectStorage } from "../pool/pool-storage.ts";

/** The part of a Durable Object's storage that a Notifier uses. `sync` resolves when everything written is on disk. */
export type NotifierStorage = ObjectStorage & AlarmStorage & { sync(): Promise<void> };

export interface StoredNotification {
  readonly seq: number;
  readonly notification: Notification;
}

type Payload = Pick<JobOrder, "params" | "values">;

// What is sent stands last: while the rest of a row is read, SQLite leaves its overflow pages alone.
const TABLES = [
  "CREATE TABLE IF NOT EXISTS notifications (seq INTEGER PRIMARY KEY, record TEXT NOT NULL, payload TEXT NOT NULL)",
  `CREATE TABLE IF NOT EXISTS finished (job_id TEXT NOT NULL, attempt INTEGER NOT NULL, finished_at INTEGER NOT NULL,
    PRIMARY KEY (job_id, attempt)) WITHOUT ROWID`,
  "CREATE INDEX IF NOT EXISTS finished_by_time ON finished (finished_at)",
];

/** What a Notifier keeps on disk. Asking one that was never used writes nothing. */
export class NotificationStorage {
  readonly #storage: NotifierStorage;
  #tables: boolean;

  constructor(storage: NotifierStorage) {
    this.#storage = storage;
    this.#tables = this.#rows("SELECT 1 FROM sqlite_master WHERE name = 'notifications'").length > 0;
  }

  load(): StoredNotification[] {
    return this.#read("SELECT seq, record FROM notifications ORDER BY seq").map((row) => ({
      seq: Number(row["seq"]),
      notification: JSON.parse(String(row["record"])),
    }));
  }

  insert(seq: number, notification: Notification, { params, values }: Payload): void {
    const payload = JSON.stringify({ params, values });
    this.#write("INSERT INTO notifications VALUES (?, ?, ?)", seq, JSON.stringify(notification), payload);
  }

  save(seq: number, notification: Notification): void {
    this.#write("UPDATE notifications SET record = ? WHERE seq = ?", JSON.stringify(notification), seq);
  }

  delete(seq: number): void {
    this.#write("DELETE FROM notifications WHERE seq = ?", seq);
  }

  /** What is to be sent; null when the row is gone. */
  loadPayload(seq: number): Payload | null {
    const [row] = this.#read("SELECT payload FROM notifications WHERE seq = ?", seq);
    return row === undefined ? null : JSON.parse(String(row["payload"]));
  }

  /** Resolves when all that was written is on disk. */
  sync(): Promise<void> {
    return this.#storage.sync();
  }

  saveFinished(jobId: string, attempt: number, finishedAt: number): void {
    this.#write("INSERT OR REPLACE INTO finished VALUES (?, ?, ?)", jobId, attempt, finishedAt);
  }

  /** The newest attempt of the job that is over, and since when (epoch ms). */
  loadFinished(jobId: string): { attempt: number; finishedAt: number } | null {
    const [row] = this.#read(
      "SELECT attempt, finished_at FROM finished WHERE job_id = ? ORDER BY attempt DESC LIMIT 1",
      jobId,
    );
    return row === undefined ? null : { attempt: Number(row["attempt"]), finishedAt: Number(row["finished_at"]) };
  }

  oldestFinishedAt(): number | null {
    const [row] = this.#read("SELECT min(finished_at) AS oldest FROM finished");
    return row === undefined || row["oldest"] === null ? null : Number(row["oldest"]);
  }

  deleteFinished(before: number): void {
    this.#write("DELETE FROM finished WHERE finished_at <= ?", before);
  }

  #write(query: string, ...bindings: (string | number)[]): void {
    if (!this.#tables) {
      for (const table of TABLES) this.#rows(table);
      this.#tables = true;
    }
    this.#rows(query, ...bindings);
  }

  #read(query: string, ...bindings: (string | number)[]) {
    return this.#tables ? this.#rows(query, ...bindings) : [];
  }

  #rows(query: string, ...bindings: (string | number)[]) {
    return this.#storage.sql.exec(query, ...bindings).toArray();
  }
}
