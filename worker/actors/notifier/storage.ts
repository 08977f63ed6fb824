import { FINISHED_JOB_IDS_KEEP_MS } from "../../../schema/limits.ts";
import type { JobOrder } from "../../domain/job-order.ts";
import type { AlarmStorage } from "../kit/alarm.ts";
import { ObjectTables } from "../kit/object-tables.ts";
import type { SqlRow, SqlStorage } from "../kit/object-tables.ts";
import { SortedList } from "../kit/sorted-list.ts";
import { hasBegun, queueNotification } from "./notification.ts";
import type { Notification } from "./notification.ts";

/** The part of a Durable Object's storage that a Notifier uses. `sync` resolves when everything written is on disk. */
export type NotifierStorage = SqlStorage & AlarmStorage & { sync(): Promise<void> };

/** A notification that is not over, or whose end is not acknowledged. */
export interface LiveNotification {
  /** The number of its row; rises with every notification. */
  readonly seq: number;
  notification: Notification;
}

// The payload is the last column: SQLite reads the other columns without its overflow pages.
const TABLES = [
  "CREATE TABLE IF NOT EXISTS notifications (seq INTEGER PRIMARY KEY, record TEXT NOT NULL, payload TEXT NOT NULL)",
  `CREATE TABLE IF NOT EXISTS finished (job_id TEXT NOT NULL, attempt INTEGER NOT NULL, finished_at INTEGER NOT NULL,
    PRIMARY KEY (job_id, attempt)) WITHOUT ROWID`,
  "CREATE INDEX IF NOT EXISTS finished_by_time ON finished (finished_at)",
];

/** Higher than any attempt: a job that was cancelled before it arrived stays over. */
const EVERY_ATTEMPT = Number.MAX_SAFE_INTEGER;
/** Finished ids are forgotten in hourly portions. */
const PRUNE_EVERY_MS = 60 * 60_000;

/**
 * The notifications of a Notifier: on disk, and in memory to choose the next. Ids of finished ones are kept, so that a
 * repeated order changes nothing. Only this class writes the rows, so reads trust them.
 */
export class NotificationTable {
  readonly #storage: NotifierStorage;
  readonly #tables: ObjectTables;
  readonly #live = new Map<string, LiveNotification>();
  /** Notifications that wait for an attempt, the next due first. */
  readonly waiting = new SortedList(byNextTry);
  /** Those of them that had an attempt before. */
  readonly waitingAgain = new SortedList(byNextTry);
  /** Notifications with a stored attempt and no stored outcome. */
  readonly sending = new Set<LiveNotification>();
  /** Notifications whose end was not acknowledged yet. */
  readonly ended = new Set<LiveNotification>();
  #nextSeq = 1;
  /** When finished ids are next forgotten (epoch ms); null while there are none. */
  #pruneAt: number | null;

  constructor(storage: NotifierStorage) {
    this.#storage = storage;
    this.#tables = new ObjectTables(storage, TABLES);
    for (const row of this.#tables.read("SELECT seq, record FROM notifications ORDER BY seq")) {
      const notification: Notification = JSON.parse(String(row["record"]));
      this.#enter({ seq: Number(row["seq"]), notification });
      this.#nextSeq = Number(row["seq"]) + 1;
    }
    this.#pruneAt = this.#nextPrune();
  }

  get(jobId: string): LiveNotification | undefined {
    return this.#live.get(jobId);
  }

  /** Idempotent by job and attempt; a newer attempt replaces an older one. */
  insert(order: JobOrder, now: number): void {
    const known = this.#live.get(order.jobId);
    if (known !== undefined && known.notification.facts.attempt >= order.attempt) return;
    if ((this.finished(order.jobId)?.attempt ?? 0) >= order.attempt) return;
    if (known !== undefined) this.#remove(known);
    const live: LiveNotification = { seq: this.#nextSeq, notification: queueNotification(order, now) };
    this.#nextSeq += 1;
    const payload = JSON.stringify({ params: order.params, values: order.values });
    const record = JSON.stringify(live.notification);
    this.#tables.write("INSERT INTO notifications VALUES (?, ?, ?)", live.seq, record, payload);
    this.#enter(live);
  }

  /** Replaces its record. False when it was replaced by another notification, or is over. */
  change(live: LiveNotification, notification: Notification): boolean {
    if (!this.isCurrent(live)) return false;
    if (notification === live.notification) return true;
    const record = JSON.stringify(notification);
    this.#tables.write("UPDATE notifications SET record = ? WHERE seq = ?", record, live.seq);
    this.#leave(live);
    live.notification = notification;
    this.#enter(live);
    return true;
  }

  isCurrent(live: LiveNotification): boolean {
    return this.#live.get(live.notification.facts.jobId) === live;
  }

  /** The order as it arrived; null when it was replaced or is over. */
  orderOf(live: LiveNotification): JobOrder | null {
    const [row] = this.#tables.read("SELECT payload FROM notifications WHERE seq = ?", live.seq);
    if (row === undefined) return null;
    const payload: Pick<JobOrder, "params" | "values"> = JSON.parse(String(row["payload"]));
    return { ...live.notification.facts, ...payload };
  }

  /** Its end was acknowledged. A newer attempt that came meanwhile stays. */
  finish(live: LiveNotification, now: number): void {
    const { jobId, attempt } = live.notification.facts;
    this.#saveFinished(jobId, attempt, now);
    if (this.isCurrent(live)) this.#remove(live);
  }

  /** Refuses a job that was cancelled before it arrived. */
  refuse(jobId: string, now: number): void {
    if (this.finished(jobId) === null) this.#saveFinished(jobId, EVERY_ATTEMPT, now);
  }

  /** The newest finished attempt of the job, and when it was finished (epoch ms); null when there is none. */
  finished(jobId: string): { attempt: number; finishedAt: number } | null {
    const [row] = this.#tables.read(
      "SELECT attempt, finished_at FROM finished WHERE job_id = ? ORDER BY attempt DESC LIMIT 1",
      jobId,
    );
    return row === undefined ? null : { attempt: Number(row["attempt"]), finishedAt: Number(row["finished_at"]) };
  }

  get pruneAt(): number | null {
    return this.#pruneAt;
  }

  /** Forgets finished ids when that is due. */
  prune(now: number): void {
    if (this.#pruneAt === null || this.#pruneAt > now) return;
    this.#tables.write("DELETE FROM finished WHERE finished_at <= ?", now - FINISHED_JOB_IDS_KEEP_MS);
    this.#pruneAt = this.#nextPrune();
  }

  /** Resolves when everything written is on disk. */
  sync(): Promise<void> {
    return this.#storage.sync();
  }

  #saveFinished(jobId: string, attempt: number, finishedAt: number): void {
    this.#tables.write("INSERT OR REPLACE INTO finished VALUES (?, ?, ?)", jobId, attempt, finishedAt);
    this.#pruneAt ??= pruneTime(finishedAt);
  }

  #nextPrune(): number | null {
    const [row]: SqlRow[] = this.#tables.read("SELECT min(finished_at) AS oldest FROM finished");
    const oldest = row?.["oldest"] ?? null;
    return oldest === null ? null : pruneTime(Number(oldest));
  }

  #enter(live: LiveNotification): void {
    this.#live.set(live.notification.facts.jobId, live);
    this[live.notification.stage.type].add(live);
    if (isAgain(live)) this.waitingAgain.add(live);
  }

  #leave(live: LiveNotification): void {
    this[live.notification.stage.type].delete(live);
    if (isAgain(live)) this.waitingAgain.delete(live);
  }

  #remove(live: LiveNotification): void {
    this.#leave(live);
    this.#live.delete(live.notification.facts.jobId);
    this.#tables.write("DELETE FROM notifications WHERE seq = ?", live.seq);
  }
}

/** When its next attempt is due (epoch ms). */
export function nextTryAt({ notification: { stage } }: LiveNotification): number {
  return stage.type === "waiting" ? stage.nextAt : Infinity;
}

function byNextTry(a: LiveNotification, b: LiveNotification): number {
  return nextTryAt(a) - nextTryAt(b) || a.seq - b.seq;
}

function isAgain({ notification }: LiveNotification): boolean {
  return notification.stage.type === "waiting" && hasBegun(notification);
}

function pruneTime(oldestFinishedAt: number): number {
  return oldestFinishedAt + FINISHED_JOB_IDS_KEEP_MS + PRUNE_EVERY_MS;
}
