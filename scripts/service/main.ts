import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { migrateDatabase } from "../migrate-database.ts";
import { startLibsqlServer } from "../libsql-server/server.ts";
import { requireFree } from "./address-free.ts";
import { backUp } from "./backup.ts";
import { prepareState } from "./put-aside.ts";
import { Refused } from "./refused.ts";
import { restore } from "./restore.ts";
import { DATABASE_FILE, RESTORE_MARK } from "./state.ts";
import { waitForAnswer } from "./wait-for-answer.ts";

const HELP = `bellhopctl: the commands of a one-machine deployment of Bellhop.

  bellhopctl database --file FILE --port PORT     serves the database on 127.0.0.1, with the token in DATABASE_AUTH_TOKEN
  bellhopctl migrate                              brings the database of DATABASE_URL to this version's schema
  bellhopctl free HOST:PORT                       fails when another program listens there
  bellhopctl wait URL [--seconds 60]              waits until URL answers
  bellhopctl backup --state DIR --to DIR [--keep 14]
                                                  copies database and objects while they run
  bellhopctl restore --from BACKUP --state DIR --in-flight end|continue
                                                  replaces the state with a backup; the service must be stopped

docs/deploy/one-machine.md says when to use which.
`;

const COMMANDS: Readonly<Record<string, (args: string[]) => Promise<void>>> = {
  database: serveDatabase,
  migrate,
  free: ([address = ""]) => {
    if (address === "") throw new Refused("free needs the address to check.", 64);
    requireFree(address);
    return Promise.resolve();
  },
  wait: async (args) => {
    const { values, positionals } = parseArgs({
      args,
      options: { seconds: { type: "string", default: "60" } },
      allowPositionals: true,
    });
    const [url] = positionals;
    if (url === undefined || !URL.canParse(url)) throw new Refused("wait needs the URL to wait for.", 64);
    await waitForAnswer(url, Number(values.seconds) * 1_000);
  },
  backup: async (args) => {
    const { values } = parseArgs({
      args,
      options: { state: { type: "string" }, to: { type: "string" }, keep: { type: "string", default: "14" } },
    });
    const keep = Number(values.keep);
    if (!Number.isInteger(keep) || keep < 1) throw new Refused("--keep is the number of backups to keep, from 1.", 64);
    await backUp({ state: required(values.state, "--state"), to: required(values.to, "--to"), keep, say: console.log });
  },
  restore: async (args) => {
    const { values } = parseArgs({
      args,
      options: { state: { type: "string" }, from: { type: "string" }, "in-flight": { type: "string" } },
    });
    const inFlight = values["in-flight"];
    if (inFlight !== "end" && inFlight !== "continue") {
      throw new Refused(
        "Say what happens to executions that were running when the backup was made.\n" +
          "  --in-flight end       they end as failed, with the reason; nothing runs twice. Use it after a loss.\n" +
          "  --in-flight continue  they continue. Use it only when nothing has run since the backup, as when you move to another machine.",
        64,
      );
    }
    await restore({
      from: required(values.from, "--from"),
      state: required(values.state, "--state"),
      inFlight,
      now: Date.now(),
      say: console.log,
    });
  },
};

async function main([name = "", ...args]: string[]): Promise<void> {
  const command = COMMANDS[name];
  if (command === undefined) {
    const isAsked = name === "--help" || name === "help";
    (isAsked ? console.log : console.error)(HELP);
    process.exit(isAsked ? 0 : 64);
  }
  await command(args);
}

async function serveDatabase(args: string[]): Promise<void> {
  const { values } = parseArgs({ args, options: { file: { type: "string" }, port: { type: "string" } } });
  const port = Number(required(values.port, "--port"));
  if (!Number.isInteger(port) || port < 1 || port > 65_535)
    throw new Refused("--port is a number from 1 to 65535.", 64);
  // Every user of the machine can reach a port of the loopback interface.
  const authToken = process.env["DATABASE_AUTH_TOKEN"] ?? "";
  if (authToken.length < 16) {
    throw new Refused("DATABASE_AUTH_TOKEN must be set, with at least 16 characters: it guards the database.", 78);
  }
  const file = required(values.file, "--file");
  const state = dirname(dirname(file));
  requireRestored(state);
  if (file === join(state, DATABASE_FILE)) await prepareState(state, console.log);
  const server = await startLibsqlServer({ file, port, authToken });
  console.log(`the database is served on ${server.url}`);
  const stop = () => {
    server.stop().then(
      () => process.exit(0),
      (error: unknown) => fail(error),
    );
  };
  process.once("SIGTERM", stop);
  process.once("SIGINT", stop);
}

/** Between the two renames of a restore there is no database, and a new one would be made. */
function requireRestored(state: string): void {
  if (!existsSync(join(state, RESTORE_MARK))) return;
  throw new Refused(
    `A restore to ${state} was interrupted. Run it again, with the same backup: bellhopctl restore. ` +
      `The former state is next to it, in before-restore-….`,
    78,
  );
}

async function migrate(): Promise<void> {
  const url = process.env["DATABASE_URL"] ?? "";
  if (url === "") throw new Refused("DATABASE_URL must be set to the database's address.", 78);
  const authToken = process.env["DATABASE_AUTH_TOKEN"] || undefined;
  // In the installed directory, next to the executable's own.
  const migrationsFolder = join(dirname(process.execPath), "../migrations");
  await migrateDatabase({ url, authToken, migrationsFolder });
  console.log("the database is at this version's schema, or a newer one");
}

function required(value: string | undefined, name: string): string {
  if (value === undefined || value === "") throw new Refused(`${name} is missing; see bellhopctl --help.`, 64);
  return value;
}

function fail(error: unknown): never {
  console.error(`bellhopctl: ${error instanceof Error ? error.message : String(error)}`);
  return process.exit(error instanceof Refused ? error.exitCode : 1);
}

main(process.argv.slice(2)).catch(fail);
