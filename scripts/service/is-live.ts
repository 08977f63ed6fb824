import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Refused } from "./refused.ts";
import { DATABASE_FILE, OBJECTS_DIRECTORY, SQLD_FILE } from "./state.ts";

/**
 * Throws while a service runs on a state directory. SQLite answers this: a file that is open in another process cannot
 * be locked exclusively. The database's server keeps its file open, workerd each namespace's file of alarms.
 */
export function requireStopped(state: string): void {
  if (isDatabaseOpen(state)) {
    throw new Refused(
      "The database is in use. Stop it first: systemctl stop bellhop.service bellhop-libsql.service. Nothing was changed.",
    );
  }
  if (areObjectsOpen(state)) {
    throw new Refused("The Worker runs. Stop it first: systemctl stop bellhop.service. Nothing was changed.");
  }
}

export function isRunning(state: string): boolean {
  return isDatabaseOpen(state) || areObjectsOpen(state);
}

function isDatabaseOpen(state: string): boolean {
  return [DATABASE_FILE, SQLD_FILE].some((file) => isOpen(join(state, file)));
}

function areObjectsOpen(state: string): boolean {
  const objects = join(state, OBJECTS_DIRECTORY);
  const namespaces = existsSync(objects) ? readdirSync(objects) : [];
  return namespaces.some((namespace) => isOpen(join(objects, namespace, "metadata.sqlite")));
}

function isOpen(file: string): boolean {
  if (!existsSync(file)) return false;
  const database = new DatabaseSync(file, { timeout: 0 });
  try {
    database.exec("PRAGMA locking_mode = EXCLUSIVE");
    database.exec("BEGIN EXCLUSIVE");
    database.exec("ROLLBACK");
    return false;
  } catch (error) {
    if (error instanceof Error && /locked|busy/u.test(error.message)) return true;
    // A damaged file is a usual reason for a restore.
    return false;
  } finally {
    database.close();
  }
}
