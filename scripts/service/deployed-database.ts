import { existsSync, readFileSync } from "node:fs";
import { mkdir, rename, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { WRONG_SETTING, databaseChoice, requireSameDatabase } from "../database-choice.ts";
import type { DatabaseChoice, Environment } from "../database-choice.ts";
import { Refused } from "./refused.ts";
import { DATABASE_FILE, ELSEWHERE_FILE, SQLD_FILE } from "./state.ts";

/** What database.env asks for. There, the address of the deployment's own server is no other server. */
export function deployedDatabase(environment: Environment): DatabaseChoice {
  const { DATABASE_URL: url = "", DATABASE_PORT: port, ...others } = environment;
  const address = url.trim().replace(/\/$/u, "");
  const isOwn = address === `http://127.0.0.1:${port}`;
  if (!isOwn && others["DATABASE"] && port && address.startsWith("http://127.0.0.1:")) {
    throw new Refused(
      `DATABASE_PORT is ${port}, and DATABASE_URL is ${address}: give both the same port.`,
      WRONG_SETTING,
    );
  }
  return databaseChoice(isOwn ? others : environment);
}

/** The database that a state began with: `ours`, `sqld` or an address; null when it has none yet. */
export function databaseOf(state: string): string | null {
  if (existsSync(join(state, DATABASE_FILE))) return "ours";
  if (existsSync(join(state, SQLD_FILE))) return "sqld";
  const elsewhere = join(state, ELSEWHERE_FILE);
  return existsSync(elsewhere) ? readFileSync(elsewhere, "utf8").trim() : null;
}

export function requireBegunWith(choice: DatabaseChoice, state: string): void {
  const database = databaseOf(state);
  if (database === null) return;
  requireSameDatabase(
    state,
    database,
    choice,
    () => 'put /etc/bellhop/database.env back, or follow "Another database" in docs/deploy/one-machine.md',
  );
}

/** Only for a database that has been reached: a wrong address is corrected in database.env alone. */
export async function recordElsewhere(state: string, url: string): Promise<void> {
  const file = join(state, ELSEWHERE_FILE);
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  await writeFile(`${file}.new`, `${url}\n`, { mode: 0o600, flush: true });
  await rename(`${file}.new`, file);
}
