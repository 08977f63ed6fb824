import { Database, SQLiteError } from "bun:sqlite";
import { join } from "node:path";
import { Refused } from "../service/refused.ts";

/**
 * Holds a state directory for this process alone; null when another process has it. The lock is SQLite's own on a file,
 * so any end of the process releases it. Throws Refused when the file cannot be used.
 */
export function lockState(stateDirectory: string): { release(): void } | null {
  const file = join(stateDirectory, "state.lock");
  let database: Database | undefined;
  try {
    database = new Database(file, { create: true });
    database.run("BEGIN EXCLUSIVE");
  } catch (error) {
    database?.close();
    if (error instanceof SQLiteError && error.code === "SQLITE_BUSY") return null;
    const said = error instanceof Error ? error.message : String(error);
    throw new Refused(
      `${file} cannot be used: ${said}. Give its directory to this account, or choose another directory with BELLHOP_STATE.`,
    );
  }
  const held = database;
  return { release: () => held.close() };
}
