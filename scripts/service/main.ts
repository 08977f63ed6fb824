import { dirname, join } from "node:path";
import { parseArgs } from "node:util";
import type { DatabaseChoice } from "../database-choice.ts";
import { innermost, migrateDatabase } from "../migrate-database.ts";
import { requireFree } from "./address-free.ts";
import { backUp } from "./backup.ts";
import { databaseSettings } from "./database-settings.ts";
import { deployedDatabase, recordElsewhere } from "./deployed-database.ts";
import { prepareState } from "./put-aside.ts";
import { Refused } from "./refused.ts";
import { restore } from "./restore.ts";
import { serveDatabase } from "./serve-database.ts";
import { storeExports } from "./store-exports.ts";
import { waitForAnswer } from "./wait-for-answer.ts";

/** How long the deployment's own database may take to start. */
const START_MS = 60_000;

interface Command {
  /** The lines of the help; the first one begins with the command. */
  usage: string;
  run: (args: string[]) => Promise<void>;
}

const COMMANDS: Readonly<Record<string, Command>> = {
  database: {
    usage: `database --file FILE --port PORT     serves the database on 127.0.0.1, with the token in DATABASE_AUTH_TOKEN;
                                                  with DATABASE=sqld by sqld, whose files are in sqld/ beside FILE`,
    run: database,
  },
  "serves-database": {
    usage: "serves-database                      fails when the database of DATABASE_URL is elsewhere",
    run: servesDatabase,
  },
  "database-settings": {
    usage: `database-settings                    prints new lines for database.env, for DATABASE=sqld, for a DATABASE_URL
                                                  elsewhere, or for Bellhop's own server`,
    run: () => Promise.resolve(console.log(databaseSettings(process.env))),
  },
  "store-exports": {
    usage: `store-exports --directory DIR --socket PATH
                                                  stores records in DIR before their deletion; the Worker sends them to PATH`,
    run: exports,
  },
  migrate: {
    usage: "migrate [--state DIR]                brings the database of DATABASE_URL to this version's schema",
    run: migrate,
  },
  free: {
    usage: "free HOST:PORT                       fails when another program listens there",
    run: ([address = ""]) => {
      if (address === "") throw new Refused("free needs the address to check.", 64);
      requireFree(address);
      return Promise.resolve();
    },
  },
  wait: {
    usage: "wait URL [--seconds 60]              waits until URL answers",
    run: wait,
  },
  backup: {
    usage: `backup --state DIR --to DIR [--keep 14]
                                                  copies database and objects while they run`,
    run: backup,
  },
  restore: {
    usage: `restore --from BACKUP --state DIR --in-flight end|continue [--database ours|sqld]
                                                  replaces the state with a backup; the service must be stopped`,
    run: restoreBackup,
  },
};

const HELP = `bellhopctl: the commands of a one-machine deployment of Bellhop.

${Object.values(COMMANDS)
  .map(({ usage }) => `  bellhopctl ${usage}`)
  .join("\n")}

docs/deploy/one-machine.md says when to use which.
`;

async function main([name = "", ...args]: string[]): Promise<void> {
  const command = COMMANDS[name];
  if (command === undefined) {
    const isAsked = name === "--help" || name === "help";
    (isAsked ? console.log : console.error)(HELP);
    process.exit(isAsked ? 0 : 64);
  }
  if (args.includes("--help") || args.includes("-h")) {
    console.log(`Usage:\n  bellhopctl ${command.usage}`);
    return;
  }
  await command.run(args);
}

async function database(args: string[]): Promise<void> {
  const { values } = parseArgs({ args, options: { file: { type: "string" }, port: { type: "string" } } });
  const port = Number(required(values.port, "--port"));
  if (!Number.isInteger(port) || port < 1 || port > 65_535)
    throw new Refused("--port is a number from 1 to 65535.", 64);
  await serveDatabase({ file: required(values.file, "--file"), port });
}

async function exports(args: string[]): Promise<void> {
  const { values } = parseArgs({ args, options: { directory: { type: "string" }, socket: { type: "string" } } });
  const { directory, socket } = values;
  await storeExports({ directory: required(directory, "--directory"), socket: required(socket, "--socket") });
}

async function wait(args: string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args,
    options: { seconds: { type: "string", default: "60" } },
    allowPositionals: true,
  });
  const [url] = positionals;
  if (url === undefined || !URL.canParse(url)) throw new Refused("wait needs the URL to wait for.", 64);
  await waitForAnswer(url, Number(values.seconds) * 1_000);
}

async function backup(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: { state: { type: "string" }, to: { type: "string" }, keep: { type: "string", default: "14" } },
  });
  const keep = Number(values.keep);
  if (!Number.isInteger(keep) || keep < 1) throw new Refused("--keep is the number of backups to keep, from 1.", 64);
  await backUp({ state: required(values.state, "--state"), to: required(values.to, "--to"), keep, say: console.log });
}

async function restoreBackup(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      state: { type: "string" },
      from: { type: "string" },
      "in-flight": { type: "string" },
      database: { type: "string" },
    },
  });
  const { database } = values;
  if (database !== undefined && database !== "ours" && database !== "sqld") {
    throw new Refused("--database is the server that gets the restored database: ours or sqld.", 64);
  }
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
    database,
    now: Date.now(),
    say: console.log,
  });
}

/** For systemd, which skips a unit whose condition fails. `database` itself reports a wrong setting. */
function servesDatabase(): Promise<void> {
  let choice: DatabaseChoice | null = null;
  try {
    choice = deployedDatabase(process.env);
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
  }
  if (choice?.kind === "elsewhere") throw new Refused(`The database is at ${choice.url}. None is served here.`);
  return Promise.resolve();
}

async function migrate(args: string[]): Promise<void> {
  const { values } = parseArgs({ args, options: { state: { type: "string" } } });
  const choice = deployedDatabase(process.env);
  const url = process.env["DATABASE_URL"] ?? "";
  if (url === "") throw new Refused("DATABASE_URL must be set to the database's address.", 78);
  if (values.state !== undefined) await prepareState(values.state, choice, console.log);
  const authToken = process.env["DATABASE_AUTH_TOKEN"] || undefined;
  // In the installed directory, next to the executable's own.
  const migrationsFolder = join(dirname(process.execPath), "../migrations");
  if (choice.kind !== "elsewhere") await waitForAnswer(new URL("/health", url).href, START_MS);
  await migrateDatabase({ url, authToken, migrationsFolder }).catch((error: unknown) => {
    throw new Error(
      `the database at ${url} could not be migrated: ${innermost(error)}. Check DATABASE_URL and DATABASE_AUTH_TOKEN in /etc/bellhop/database.env.`,
      { cause: error },
    );
  });
  if (values.state !== undefined && choice.kind === "elsewhere") await recordElsewhere(values.state, choice.url);
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
