import type { BoundSql } from "../../../schema/contract/sql-values.ts";
import { ExecutorFailure, jobEnded } from "../shared/failures.ts";
import type { DatabaseDriver, DatabaseSession, DatabaseTarget, QueryResult } from "./driver.ts";
import { checkFile } from "./sqlite/check-file.ts";
import { statementFailure } from "./sqlite/failures.ts";
import { startSqliteProcess } from "./sqlite/process.ts";
import { SERVER_LIMIT_EXTRA_MS } from "./stopping.ts";

/** Waiting for a lock ends before the job does, so that its error can say what it waited for. */
const LOCK_MARGIN_MS = 1_000;
/** Reads the file, too: SELECT 1 alone is answered without a look at it. */
const VERSION: BoundSql = {
  text: "SELECT sqlite_version() AS version, (SELECT count(*) FROM sqlite_master) AS objects",
  parameters: [],
};

/** SQLite files on the agent's host. */
export const driver: DatabaseDriver = {
  placeholders: "sqlite",
  async connect(target, passed): Promise<DatabaseSession> {
    const { database } = target.config;
    const { bytes } = await checkFile(database, target.readOnly);
    passed?.("File", `${database} is there, ${bytes} bytes.`);
    return {
      query: (sql, maxRows) => query(target, sql, maxRows),
      version: async () => `SQLite ${String((await query(target, VERSION, 1)).rows[0]?.["version"])}`,
      close: () => Promise.resolve(),
    };
  },
};

async function query(target: DatabaseTarget, sql: BoundSql, maxRows: number): Promise<QueryResult> {
  const { signal, timeoutMs, readOnly } = target;
  const file = target.config.database;
  if (signal.aborted) throw jobEnded("It was not begun.");
  const busyTimeoutMs = Math.max(timeoutMs - LOCK_MARGIN_MS, timeoutMs / 2);
  const parameters = sql.parameters.map((parameter) => ({ ...parameter }));
  const timeLimitMs = timeoutMs + SERVER_LIMIT_EXTRA_MS;
  const request = { file, readOnly, text: sql.text, parameters, maxRows, busyTimeoutMs, timeLimitMs };
  const running = startSqliteProcess(request);
  let killed = false;
  const onAbort = (): void => {
    killed = true;
    void running.kill();
  };
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    const reply = await running.reply;
    if (reply !== null && "result" in reply) return reply.result;
    if (reply !== null) throw statementFailure(reply.error, file);
    if (killed) {
      throw jobEnded(
        "The process that ran the statement was ended; unless it had just been done, SQLite rolls it back.",
      );
    }
    const message = `The process that ran the statement on ${file} ended without an answer: perhaps this host is short of memory. SQLite rolls back what was not done.`;
    throw new ExecutorFailure("connection_lost", message);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}
