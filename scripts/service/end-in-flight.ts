import { DatabaseSync } from "node:sqlite";
import type { Manifest } from "./manifest.ts";

/**
 * The tables in which dispatchers and Notifiers keep their unfinished work, and the Alerter the events that wait for
 * their message: they may have been sent after the backup (worker/actors).
 */
const QUEUES = ["jobs", "notifications", "groups"];

/**
 * Ends all unfinished work in a copy of the database, as an execution's time limit does: running and waiting nodes are
 * cancelled, nodes that had not begun are skipped, the execution has failed. How far each came after the backup is
 * unknown. A person decides on a retry, which runs everything that had not succeeded.
 */
export function endInFlight(
  file: string,
  { startedAt }: Pick<Manifest, "startedAt">,
  now: number,
): { executions: number; jobs: number } {
  const error = JSON.stringify({
    code: "restored",
    message:
      `The service was restored from a backup of ${startedAt}, when this was running. It is not known what ran after the backup. ` +
      'Check the systems that it changes, then retry the execution with from: "failed" or "start".',
  });
  const database = new DatabaseSync(file);
  try {
    database.exec("BEGIN IMMEDIATE");
    const running = "(SELECT id FROM executions WHERE status = 'running')";
    database
      .prepare(
        `INSERT INTO execution_events (execution_id, revision, type, at) SELECT id, revision + 1, 'restored', ?
          FROM executions WHERE status = 'running'`,
      )
      .run(now);
    const revision = "(SELECT revision + 1 FROM executions WHERE id = execution_id)";
    database
      .prepare(
        `UPDATE node_runs SET status = 'cancelled', error = ?, wake_at = NULL, finished_at = ?, revision = ${revision}
          WHERE status IN ('running', 'waiting') AND execution_id IN ${running}`,
      )
      .run(error, now);
    database
      .prepare(
        `UPDATE node_runs SET status = 'skipped', wake_at = NULL, revision = ${revision}
          WHERE status = 'pending' AND execution_id IN ${running}`,
      )
      .run();
    // Marked as confirmed: no dispatcher has them now, so none needs a report.
    const jobs = database
      .prepare(
        `UPDATE jobs SET status = 'cancelled', confirmed_at = ?, finished_at = ? WHERE status = 'queued' AND execution_id IN ${running}`,
      )
      .run(now, now);
    const executions = database
      .prepare(
        `UPDATE executions SET status = 'failed', error = ?, finished_at = ?, wake_at = NULL, hold = NULL, revision = revision + 1
          WHERE status = 'running'`,
      )
      .run(error, now);
    // Their failure workflows may have run after the backup.
    empty(database, "unreported_failures");
    // Spans may have been sent after the backup.
    empty(database, "trace_queue");
    // Connection tests and credential deliveries belong to no execution and are safe to repeat: they are sent to their
    // dispatchers again.
    database.exec("UPDATE jobs SET confirmed_at = NULL WHERE status = 'queued'");
    database.exec("COMMIT");
    return { executions: Number(executions.changes), jobs: Number(jobs.changes) };
  } finally {
    database.close();
  }
}

/** Empties the queue in a copy of an object's file, if it has one. */
export function emptyQueues(file: string): void {
  const database = new DatabaseSync(file);
  try {
    for (const queue of QUEUES) empty(database, queue);
  } finally {
    database.close();
  }
}

/** Deletes the rows of a table that a backup of an earlier version may not have. */
function empty(database: DatabaseSync, table: string): void {
  const found = database.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?").get(table);
  if (found !== undefined) database.exec(`DELETE FROM ${table}`);
}
