import type { Connection, FieldPacket, PrepareStatementInfo, Query } from "mysql2";
import { z } from "zod";
import { jsonValueSchema } from "../../../../schema/contract/json.ts";
import type { BoundSql } from "../../../../schema/contract/sql-values.ts";
import { errorCode, ExecutorFailure } from "../../shared/failures.ts";
import { firstWord } from "../first-word.ts";
import type { ResultRows } from "../result-rows.ts";
import { toMysql } from "./values.ts";

const READING = new Set(["SELECT", "SHOW", "WITH", "TABLE", "VALUES", "EXPLAIN", "DESCRIBE", "DESC"]);

/** Procedures, and blocks of MariaDB. The empty word is an executable comment, which may be either. */
const SEVERAL = new Set(["CALL", "EXECUTE", "BEGIN", "IF", "CASE", "LOOP", "REPEAT", "WHILE", "FOR", ""]);

export interface StatementEnd {
  /** How many rows the server reports as changed; null for a statement that returns rows. */
  affectedRows: number | null;
  /** All rows that arrived, kept or not. */
  rowCount: number;
  /** The server was still sending when enough rows had been read. */
  abandoned: boolean;
}

const headerSchema = z.object({ affectedRows: z.number() });
const rowSchema = z.array(jsonValueSchema);

export function onlyReads(sql: string): boolean {
  return READING.has(firstWord(sql, { executableComments: true }));
}

/** Whether it runs several statements in sequence. KILL QUERY may end only one of them, and the next would run. */
export function runsSeveral(sql: string): boolean {
  return SEVERAL.has(firstWord(sql, { executableComments: true }));
}

/**
 * Prepares a statement on the server and executes it with separate values. When `into` is full, the statement is
 * abandoned only with `mayStop`: a function in a SELECT may write, and ending the SELECT would undo that.
 */
export async function runStatement(
  connection: Connection,
  sql: BoundSql,
  into: ResultRows,
  { mayStop }: { mayStop: boolean },
): Promise<StatementEnd> {
  const lost = Promise.withResolvers<never>();
  lost.promise.catch(() => undefined);
  connection.on("error", lost.reject);
  const values = sql.parameters.map(({ value }) => toMysql(value));
  const work = async (): Promise<StatementEnd> => {
    const statement = await prepare(connection, sql.text);
    if (statement === null && values.length > 0) {
      throw new ExecutorFailure(
        "query_failed",
        "The server cannot prepare this kind of statement, so the statement cannot have values. Write it without templates and parameters.",
      );
    }
    // Without values, nothing is ever put into the text.
    if (statement === null) return await read(connection.query(sql.text), into, mayStop);
    const places = placesOf(statement);
    if (places !== null && places !== values.length) {
      const message = `The statement has ${places} placeholders and ${values.length} values. A bare ? cannot be given a value: write a template or a named parameter there.`;
      throw new ExecutorFailure("query_failed", message);
    }
    return await read(statement.execute(values), into, mayStop);
  };
  return await Promise.race([work(), lost.promise]);
}

/** Null for the few kinds of statement that the server cannot prepare. */
function prepare(connection: Connection, text: string): Promise<PrepareStatementInfo | null> {
  const { promise, resolve, reject } = Promise.withResolvers<PrepareStatementInfo | null>();
  connection.prepare(text, (error, statement) => {
    if (error === null) resolve(statement);
    else if (errorCode(error) === "ER_UNSUPPORTED_PS") resolve(null);
    else reject(error);
  });
  return promise;
}

function placesOf(statement: object): number | null {
  if (!("parameters" in statement) || !Array.isArray(statement.parameters)) return null;
  return statement.parameters.length;
}

function read(command: Query, into: ResultRows, mayStop: boolean): Promise<StatementEnd> {
  const { promise, resolve, reject } = Promise.withResolvers<StatementEnd>();
  const end: StatementEnd = { affectedRows: null, rowCount: 0, abandoned: false };
  let described = false;
  command.on("fields", (fields: FieldPacket[] | undefined) => {
    if (described || fields === undefined) return;
    described = true;
    into.columns = fields.map(({ name }) => name);
  });
  command.on("result", (result: unknown, index: number | undefined) => {
    if (!Array.isArray(result)) {
      end.affectedRows = headerSchema.safeParse(result).data?.affectedRows ?? null;
      return;
    }
    // A procedure may return several results. Only the first is kept.
    if ((index ?? 0) > 0) return;
    end.rowCount += 1;
    const wanted = !into.truncated && into.add(rowSchema.parse(result));
    if (wanted || !mayStop) return;
    end.abandoned = true;
    resolve(end);
  });
  command.on("error", reject);
  command.on("end", () => resolve(end));
  return promise;
}
