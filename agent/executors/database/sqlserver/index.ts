import type { DatabaseDriver, DatabaseSession, DatabaseTarget, QueryResult } from "../driver.ts";
import { errorCode, jobEnded } from "../../shared/failures.ts";
import type { BoundSql } from "../../../../schema/contract/sql-values.ts";
import { endpointOf } from "../endpoint.ts";
import { rowTooLarge } from "../limits.ts";
import { ResultRows } from "../result-rows.ts";
import { refuseWrites } from "./batch-keywords.ts";
import { statementFailure } from "./failures.ts";
import { openSqlServer, type OpenSqlServer } from "./open.ts";
import { runBatch, runStatement } from "./statement.ts";
import { endedBy } from "../stopping.ts";

const CANCELLED =
  "The statement was cancelled on the server (ATTENTION), and its changes were rolled back; changes that earlier statements of the same text had committed stay.";
const VERSION = "SELECT CONVERT(nvarchar(128), SERVERPROPERTY('ProductVersion')) AS version";
/** Rolled back with the connection: no change of a read-only action is ever committed. */
const BEGIN = "BEGIN TRANSACTION";

/** Microsoft SQL Server and Azure SQL, with SQL Server authentication. */
export const driver: DatabaseDriver = {
  placeholders: "sqlserver",
  async connect(target, passed): Promise<DatabaseSession> {
    const { where } = endpointOf(target);
    const open = await openSqlServer(target, passed);
    return {
      query: (sql, maxRows) => query(open, target, where, sql, maxRows),
      version: async () => {
        const result = new ResultRows(1);
        await runStatement(open.connection, { text: VERSION, parameters: [] }, result, { stopWhenFull: false });
        return `Microsoft SQL Server ${String(result.rows[0]?.["version"] ?? "")}`.trim();
      },
      close: async () => {
        await open.close();
      },
    };
  },
};

async function query(
  open: OpenSqlServer,
  target: DatabaseTarget,
  where: string,
  sql: BoundSql,
  maxRows: number,
): Promise<QueryResult> {
  if (target.readOnly) refuseWrites(sql.text);
  const result = new ResultRows(maxRows);
  const run = async (): Promise<number> => {
    if (target.readOnly) await runBatch(open.connection, BEGIN);
    return await runStatement(open.connection, sql, result, {
      stopWhenFull: target.readOnly,
      onRow: open.rowRead,
    });
  };
  const cancel = async (): Promise<void> => void open.connection.cancel();
  try {
    const changed = await endedBy(target.signal, run(), cancel);
    const { rows, columns, truncated } = result;
    return { rows, columns, rowCount: columns.length > 0 ? rows.length : changed, truncated };
  } catch (error) {
    if (open.tooLarge()) throw rowTooLarge();
    if (target.signal.aborted && errorCode(error) === "ECANCEL") throw jobEnded(CANCELLED);
    const failure = statementFailure(error, { where, secrets: target.secrets });
    if (!target.signal.aborted || failure.code === "job_ended") throw failure;
    throw jobEnded(failure.message);
  }
}
