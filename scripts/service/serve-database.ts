import { mkdirSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { startLibsqlServer } from "../libsql-server/server.ts";
import { sqldCommand } from "../sqld/start-sqld.ts";
import { deployedDatabase } from "./deployed-database.ts";
import { prepareState } from "./put-aside.ts";
import { Refused } from "./refused.ts";
import { DATABASE_FILE } from "./state.ts";

const TOKEN_MIN_CHARS = 16;

/** Serves the database on 127.0.0.1 until SIGTERM. sqld has its files in `sqld/`, beside `file`. */
export async function serveDatabase({ file, port }: { file: string; port: number }): Promise<void> {
  const choice = deployedDatabase(process.env);
  if (choice.kind === "elsewhere") throw new Refused(`The database is at ${choice.url}. None is served here.`, 78);
  // Every user of the machine can reach a port of the loopback interface.
  const authToken = process.env["DATABASE_AUTH_TOKEN"] ?? "";
  if (authToken.length < TOKEN_MIN_CHARS) {
    throw new Refused(
      `DATABASE_AUTH_TOKEN must be set, with at least ${TOKEN_MIN_CHARS} characters: it guards the database.`,
      78,
    );
  }
  if (choice.kind === "sqld" && (process.env["SQLD_AUTH_JWT_KEY"] ?? "") === "") {
    throw new Refused(
      "SQLD_AUTH_JWT_KEY must be set, or sqld would serve requests without a token: bellhopctl database-settings prints a key and its token.",
      78,
    );
  }
  const state = dirname(dirname(file));
  if (file === join(state, DATABASE_FILE)) await prepareState(state, choice, console.log);
  if (choice.kind === "sqld") return becomeSqld(resolve(dirname(file), "sqld"), port);
  const server = await startLibsqlServer({ file, port, authToken });
  console.log(`the database is served on ${server.url}`);
  const stop = () => void server.stop().then(() => process.exit(0));
  process.once("SIGTERM", stop);
  process.once("SIGINT", stop);
}

/** sqld replaces this process, so that signals reach it and its end is noticed. It takes its key from SQLD_AUTH_JWT_KEY. */
function becomeSqld(directory: string, port: number): void {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const [program = "", ...options] = sqldCommand({ directory, port });
  if (process.execve === undefined) throw new Error("this program cannot replace itself by sqld on this platform");
  process.execve(program, [program, ...options], process.env);
}
