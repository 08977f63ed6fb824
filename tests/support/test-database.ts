import { test } from "bun:test";
import { join } from "node:path";
import { startLibsqlServer } from "../../scripts/libsql-server/server.ts";
import { startSqld } from "../../scripts/sqld/start-sqld.ts";
import { sqldMissing } from "./database-server.ts";
import { freePort } from "./free-port.ts";

/** The database of a service under test: our server, or sqld with `DATABASE=sqld`. */
export interface TestDatabase {
  url: string;
  /** The SQLite file below the service's directory; with others beside it. */
  file: string;
  /** Statements executed since the start. Only our server counts them: see `onlyOnOurServer`. */
  statementCount(): number;
  stop(): Promise<void>;
}

const ON_SQLD = process.env["DATABASE"] === "sqld";

/** `test`; on sqld a test that is skipped, for the reason that is given. */
export function onlyOnOurServer(reason: string): typeof test {
  if (!ON_SQLD) return test;
  console.log(`skipped on sqld: ${reason}`);
  return test.skip;
}

/** Starts the database, with its files in `directory`. A `port` that it had before brings the same address. */
export async function startTestDatabase(directory: string, port?: string): Promise<TestDatabase> {
  if (!ON_SQLD) {
    const file = join(directory, "bellhop.db");
    const server = await startLibsqlServer({ file, port: Number(port ?? 0), synchronous: "normal" });
    return { ...server, file };
  }
  const missing = sqldMissing();
  if (missing !== null) throw new Error(`DATABASE=sqld: ${missing}`);
  const data = join(directory, "sqld");
  const { url, stop } = await startSqld({
    directory: data,
    port: port === undefined ? await freePort() : Number(port),
  });
  return {
    url,
    file: join(data, "dbs/default/data"),
    statementCount: () => {
      throw new Error("sqld counts no statements");
    },
    stop: () => stop(),
  };
}

/** Sends a request for the database, whose body was read, on to it. */
export function passOn(
  { url: address }: TestDatabase,
  { url, method, headers }: Request,
  body: string,
): Promise<Response> {
  const plain = new Headers(headers);
  // sqld compresses its answers; fetch would decode one and keep the header that says so.
  plain.set("Accept-Encoding", "identity");
  return fetch(`${address}${new URL(url).pathname}`, { method, headers: plain, body });
}
