import type { BoundSql } from "../../../../schema/contract/sql-values.ts";
import { ExecutorFailure, jobEnded } from "../../shared/failures.ts";
import type { DatabaseDriver, DatabaseSession, DatabaseTarget, QueryResult } from "../driver.ts";
import { statementFailure } from "./failures.ts";
import { startSqliteProcess } from "./process.ts";
import { MEMORY_MAX_MB } from "./watchdog.ts";
import { SERVER_LIMIT_EXTRA_MS } from "../stopping.ts";

/** The wait for a lock ends before the job does, so that its error can name the lock. */
const LOCK_MARGIN_MS = 1_000;
/** The limit for opening the file after a process was killed. The runner waits 10 s for a stopped job. */
const ROLLBACK_TIMEOUT_MS = 4_000;
/** Reads the file, too. SELECT 1 alone would not. */
const VERSION: BoundSql = {
  text: "SELECT sqlite_version() AS version, (SELECT count(*) FROM sqlite_master) AS objects",
  parameters: [],
};

/** SQLite files on the agent's host. */
export const driver: DatabaseDriver = {
  placeholders: "sqlite",
  async connect(target, passed): Promise<DatabaseSession> {
    if (passed !== undefined) {
      const { database } = target.config;
      const { rows } = await query(target, { text: null, parameters: [] }, 1);
      passed("File", `${database} is there, ${String(rows[0]?.["bytes"])} bytes.`);
    }
    return {
      query: (sql, maxRows) => query(target, sql, maxRows),
      version: async () => `SQLite ${String((await query(target, VERSION, 1)).rows[0]?.["version"])}`,
      close: () => Promise.resolve(),
    };
  },
};

/** Without a text only the file is checked. */
async function query(
  target: DatabaseTarget,
  sql: Omit<BoundSql, "text"> & { text: string | null },
  maxRows: number,
): Promise<QueryResult> {
  const { signal, timeoutMs, readOnly } = target;
  const file = target.config.database;
  if (signal.aborted) throw jobEnded("It was not begun.");
  const busyTimeoutMs = Math.max(timeoutMs - LOCK_MARGIN_MS, timeoutMs / 2);
  const parameters = sql.parameters.map((parameter) => ({ ...parameter }));
  const timeLimitMs = timeoutMs + SERVER_LIMIT_EXTRA_MS;
  const request = { file, readOnly, text: sql.text, parameters, maxRows, busyTimeoutMs, timeLimitMs };
  const running = await startSqliteProcess(request, target.programs);
  let killed = false;
  const onAbort = (): void => {
    killed = true;
    void running.kill();
  };
  signal.addEventListener("abort", onAbort, { once: true });
  if (signal.aborted) onAbort();
  try {
    const reply = await running.reply;
    if (typeof reply === "object") {
      if ("result" in reply) return reply.result;
      throw statementFailure(reply.error, { file, secrets: target.secrets });
    }
    const outcome = await rollBack(target);
    if (killed) throw jobEnded(`The process that ran the statement was ended. ${outcome}`);
    if (reply === "too much memory") {
      const message = `The statement took more than ${MEMORY_MAX_MB} MB of memory, and the process that ran it was ended. ${outcome} Select fewer or smaller values, such as substr(column, 1, 1000).`;
      throw new ExecutorFailure("query_failed", message);
    }
    const message = `The process that ran the statement on ${file} ended without an answer: perhaps this host is short of memory. ${outcome}`;
    throw new ExecutorFailure("connection_lost", message);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}

/**
 * A killed process may leave the file's journal, which a read-only connection cannot roll back. Opening the file once
 * does that (`runStatement`). Returns a sentence about the statement's outcome.
 */
async function rollBack({ config, readOnly, programs }: DatabaseTarget): Promise<string> {
  if (readOnly) return "It only read, so nothing was changed.";
  const limits = { maxRows: 1, busyTimeoutMs: LOCK_MARGIN_MS, timeLimitMs: ROLLBACK_TIMEOUT_MS };
  const request = { ...VERSION, parameters: [], file: config.database, readOnly: true, ...limits };
  const reply = await (await startSqliteProcess(request, programs)).reply;
  return typeof reply === "object" && "result" in reply
    ? "Unless it had just been done, SQLite rolled it back."
    : `Unless it had just been done, SQLite rolls it back when ${config.database} is next opened by a program that may write.`;
}
