import type { BoundSql } from "../../../../schema/contract/sql-values.ts";
import { ExecutorFailure, jobEnded } from "../../shared/failures.ts";
import { endpointOf } from "../endpoint.ts";
import { connectTimeoutMs, type Endpoint, withinTime } from "../../shared/tcp-session.ts";
import type { DatabaseDriver, DatabaseSession, DatabaseTarget, QueryResult } from "../driver.ts";
import { rowTooLarge } from "../limits.ts";
import { loginFailure, statementFailure } from "./failures.ts";
import { type OpenMysql, openMysql } from "./open.ts";
import { ask, identify, killOnServer, limitOnServer, type SessionIdentity } from "./session.ts";
import { onlyReads, runsSeveral, runStatement } from "./statement.ts";
import { ResultRows } from "../result-rows.ts";
import { endedBy } from "../stopping.ts";

const CANCELLED =
  "The statement was cancelled on the server, and its changes in transactional tables were rolled back; changes that a procedure had committed stay.";
const SESSION_ENDED =
  "The statement was cancelled on the server by ending its connection: its changes in transactional tables are rolled back; changes that a procedure had committed stay.";

/** MySQL and MariaDB. */
export const driver: DatabaseDriver = {
  placeholders: "mysql",
  async connect(target, passed): Promise<DatabaseSession> {
    const endpoint = endpointOf(target);
    const open = await openMysql(target, endpoint, passed);
    const limit = {
      where: endpoint.where,
      timeoutMs: connectTimeoutMs(target),
      signal: target.signal,
      giveUp: open.destroy,
    };
    try {
      const session = await withinTime(prepareSession(open, target), limit);
      return {
        query: (sql, maxRows) => query({ ...open, target, endpoint, session }, sql, maxRows),
        version: () => Promise.resolve(nameOf(session.version)),
        close: () => {
          open.destroy();
          return Promise.resolve();
        },
      };
    } catch (error) {
      open.destroy();
      const username = target.login?.username ?? "";
      const { database } = target.config;
      throw loginFailure(error, { where: endpoint.where, username, database, secrets: target.secrets });
    }
  },
};

async function prepareSession({ connection }: OpenMysql, target: DatabaseTarget): Promise<SessionIdentity> {
  const session = await identify(connection);
  await limitOnServer(connection, session.version, target.timeoutMs);
  if (target.readOnly) await ask(connection, "START TRANSACTION READ ONLY");
  return session;
}

interface Open extends OpenMysql {
  target: DatabaseTarget;
  endpoint: Endpoint;
  session: SessionIdentity;
}

async function query(open: Open, sql: BoundSql, maxRows: number): Promise<QueryResult> {
  const { target, endpoint, session } = open;
  const reads = onlyReads(sql.text);
  if (target.readOnly && !reads) {
    // A procedure or a block could end the transaction that keeps it from writing.
    const message =
      "The action is readOnly, and on MySQL and MariaDB such an action runs SELECT, WITH, SHOW, TABLE, VALUES, EXPLAIN and DESCRIBE.";
    throw new ExecutorFailure("read_only", message);
  }
  const result = new ResultRows(maxRows);
  const whole = runsSeveral(sql.text);
  let ordered = Promise.resolve(false);
  const kill = async (): Promise<void> => {
    ordered = killOnServer(target, endpoint, session, { whole });
    await ordered;
  };
  try {
    const running = runStatement(open.connection, sql, result, { mayStop: target.readOnly });
    const end = await endedBy(target.signal, running, kill);
    // MySQL reports a killed SLEEP as a success.
    if (target.signal.aborted && reads) throw jobEnded(CANCELLED);
    if (end.abandoned) {
      open.destroy();
      // The server notices a closed connection only when it sends the next row. If it refuses the kill, it stops at
      // that row.
      await kill().catch(() => undefined);
    }
    return {
      rows: result.rows,
      columns: result.columns,
      rowCount: result.columns.length === 0 ? (end.affectedRows ?? 0) : reads ? result.rows.length : end.rowCount,
      truncated: result.truncated,
    };
  } catch (error) {
    if (open.tooLarge()) throw rowTooLarge();
    const failure = statementFailure(error, { ...target, where: endpoint.where });
    if (!target.signal.aborted || failure.code === "job_ended") throw failure;
    // The end of the connection may be seen before the answer to the KILL that caused it.
    if (whole && failure.code === "connection_lost" && (await ordered)) throw jobEnded(SESSION_ENDED);
    throw jobEnded(failure.code === "connection_lost" ? failure.message : CANCELLED);
  }
}

/** `10.11.14-MariaDB-0+deb12u2` or `8.4.3`. */
function nameOf(version: string): string {
  const [number = ""] = version.split("-");
  return /mariadb/iu.test(version) ? `MariaDB ${number}` : `MySQL ${version}`;
}
