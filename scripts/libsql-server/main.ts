import { parseArgs } from "node:util";
import { startLibsqlServer } from "./server.ts";

const USAGE = "bun scripts/libsql-server/main.ts --file FILE [--port PORT] [--synchronous full|normal]";

/**
 * Runs the server until SIGTERM or SIGINT. Prints `listening on http://127.0.0.1:PORT` once it is ready. The bearer
 * token comes from LIBSQL_AUTH_TOKEN, since arguments are visible in process lists.
 */
async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { file: { type: "string" }, port: { type: "string" }, synchronous: { type: "string" } },
  });
  const { file, port = "0", synchronous = "full" } = values;
  if (file === undefined || !/^\d{1,5}$/.test(port) || (synchronous !== "full" && synchronous !== "normal")) {
    throw new Error(`usage: ${USAGE}`);
  }
  const authToken = process.env["LIBSQL_AUTH_TOKEN"] || undefined;
  const server = await startLibsqlServer({ file, port: Number(port), synchronous, authToken });
  const stop = () => void server.stop().then(() => process.exit(0), fail);
  process.once("SIGTERM", stop);
  process.once("SIGINT", stop);
  console.log(`listening on ${server.url}`);
}

function fail(error: unknown): never {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
}

main().catch(fail);
