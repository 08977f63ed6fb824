import { afterEach, describe } from "bun:test";
import { openDatabase, rowsOf } from "../../worker/store/database.ts";
import type { Row } from "../../worker/store/database.ts";
import type { SqlParam, SqlText } from "../../worker/store/hrana.ts";
import { DATABASE_KINDS, type DatabaseServer } from "./database-server.ts";

/** Starts a server with this schema; it ends after the test. */
type Start = (...schema: string[]) => Promise<{ server: DatabaseServer; client: Client }>;

type Text = string | { sql: string; args: SqlParam[] };

interface Answer {
  rows: Row[];
  rowsAffected: number;
}

/** The Worker's own way to a database, for statements as text. */
export interface Client {
  execute(statement: Text): Promise<Answer>;
  batch(statements: readonly Text[], mode: "read" | "write"): Promise<Answer[]>;
}

export function clientOf({ url, token }: { url: string; token: string | null }): Client {
  const database = openDatabase({ url, token });
  const batch: Client["batch"] = async (statements, mode) => {
    const texts = statements.map((each): SqlText =>
      typeof each === "string" ? { sql: each, params: [] } : { sql: each.sql, params: each.args },
    );
    const results = await (mode === "read" ? database.read(texts) : database.write(texts));
    return results.map((result) => ({ rows: rowsOf(result), rowsAffected: result.rowsAffected }));
  };
  return {
    batch,
    execute: async (statement) => {
      const [answer] = await batch([statement], "write");
      if (answer === undefined) throw new Error("a statement has no result");
      return answer;
    },
  };
}

/** Declares the same tests for every libSQL server: the contract that Bellhop needs. */
export function onEachDatabase(declare: (start: Start) => void): void {
  const started: DatabaseServer[] = [];
  afterEach(async () => {
    for (const server of started.splice(0)) await server.dispose();
  });
  for (const { name, skipped, startServer } of DATABASE_KINDS) {
    if (skipped !== null) console.log(`skipped: on ${name}: ${skipped}`);
    describe.skipIf(skipped !== null)(`on ${name}`, () => {
      declare(async (...schema) => {
        const server = await startServer();
        started.push(server);
        const client = clientOf(server);
        if (schema.length > 0) await client.batch(schema, "write");
        return { server, client };
      });
    });
  }
}

/** The table of `inserts` and `idsIn`. */
export const TABLE = "CREATE TABLE t (id INTEGER PRIMARY KEY, v)";

export function inserts(from: number, count: number): { sql: string; args: SqlParam[] }[] {
  return Array.from({ length: count }, (_, index) => ({
    sql: "INSERT INTO t VALUES (?, ?)",
    args: [from + index, "value"],
  }));
}

export async function idsIn(client: Client): Promise<unknown[]> {
  return (await client.execute("SELECT id FROM t ORDER BY id")).rows.map((row) => row["id"]);
}

/** The error that `promise` fails with. Throws when it succeeds. */
export async function errorOf(promise: Promise<unknown>): Promise<unknown> {
  const error: unknown = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error === undefined) throw new Error("it succeeded");
  return error;
}
